# The files that the page names, under the names it gives them.
cp examples/typed-decisions/record.json record.json
cp examples/typed-decisions/gotcha-family-suite.json suite.json
cp examples/typed-decisions/recorded-suite.json recorded.json
cp examples/typed-decisions/baseline_decider.py decider.py
cp examples/deliberation/*.json .
cp examples/findings/deletion.json review.json
cp examples/findings/change.diff change.diff
cp examples/routing/*.json .
hpp-decide eval suite.json --decider-command '["python", "decider.py"]' > before.json
cp before.json after.json
