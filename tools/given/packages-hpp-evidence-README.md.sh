# A project with one function and its test, a key, and a record that this key signed.
mkdir -p src out ~/.ssh
printf 'def is_large(width):\n    return width >= 10\n' > src/area.py
cat > test_area.py <<'END'
import pathlib

from src.area import is_large


def test_the_limit_is_ten():
    assert is_large(10) and not is_large(9)
    pathlib.Path("out").mkdir(exist_ok=True)
    pathlib.Path("out/unit.xml").write_text("<testsuite/>")
END
printf '[pytest]\ntestpaths = test_area.py\naddopts = -p no:cacheprovider\n' > pytest.ini
echo '# What is wanted' > SPEC.md
git add . && git commit -q -m 'a project'
ssh-keygen -q -t ed25519 -N '' -C '' -f ~/.ssh/id_ed25519
echo "ada namespaces=\"hpp\" $(cut -d' ' -f1,2 ~/.ssh/id_ed25519.pub)" > allowed_signers
hpp-evidence run --id unit --sign-key ~/.ssh/id_ed25519 --signer ada --artifact 'out/*.xml' -- python -m pytest -q > /dev/null
cp .hpp/evidence/unit-*.json RECORD
cp RECORD .hpp/evidence/unit-20260101T120000Z.json
