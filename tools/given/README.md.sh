# What the README takes as given where it asks the gate: a change whose second piece of work
# is verified in order, with evidence, an approval signed by grace, and the head that was kept.
mkdir keys change
ssh-keygen -q -t ed25519 -N '' -C '' -f keys/grace
echo "grace namespaces=\"hpp\" $(cut -d' ' -f1,2 keys/grace.pub)" > keys/allowed
cd change
git init -q -b main .
printf '.hpp/\nout/\n' > .gitignore
echo '# What is wanted' > SPEC.md
git add . && git commit -q -m begin
advance() {
    hpp event append --type work_started --work "$1"
    hpp evidence run --id "$1" --artifact 'out/*' --record-event --work "$1" -- \
        python -c "import os; os.makedirs('out', exist_ok=True); open('out/$1', 'w').write('$1')"
    hpp event append --type check_passed --work "$1" --data '{"actor": "grace"}'
    hpp event append --type human_approved --work "$1" --data '{"actor": "jo"}'
    hpp event append --type verified --work "$1"
}
advance ITEM-1 > /dev/null
KEPT=$(hpp event verify | sed -n 's/.*"head_sha256": "\(.*\)".*/\1/p')
advance ITEM-2 > /dev/null
hpp attest create --spec SPEC.md --maker ada --checker grace --session review:2 --verdict approved \
    --output .hpp/review.json --sign-key ../keys/grace > /dev/null
cd ..
