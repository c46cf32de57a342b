"""Reads lines of `yaml_differential write` and says where PyYAML, a reader of YAML 1.1 of others, reads another value than was written."""
import json
import sys

import yaml

lines = different = 0
for lines, line in enumerate(sys.stdin, 1):
    case = json.loads(line)
    try:
        read = yaml.load(case["yaml"], getattr(yaml, "CSafeLoader", yaml.SafeLoader) if "-c" in sys.argv else yaml.SafeLoader)
    except yaml.YAMLError as wrong:
        read = "cannot be read: " + str(wrong)
    if read != case["value"]:
        different += 1
        print(json.dumps(case["value"]), repr(case["yaml"]), repr(read), sep="\n  ")
print(lines, "values,", different, "differences")
sys.exit(lines == 0 or different != 0)
