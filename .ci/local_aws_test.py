#!/usr/bin/env python3
"""What a user of .ci/local-aws may rely on."""

import base64
import contextlib
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
import zipfile
from pathlib import Path

LOCAL_AWS = Path(__file__).resolve().parent / "local-aws"
SECONDS = 60

# A Lambda that an order to end does not end: it has to be killed.
BOOTSTRAP = f"""#!{sys.executable}
import os, signal, urllib.request
signal.signal(signal.SIGTERM, signal.SIG_IGN)
api = "http://" + os.environ["AWS_LAMBDA_RUNTIME_API"] + "/2018-06-01/runtime/invocation/"
while True:
    event = urllib.request.urlopen(api + "next")
    request = api + event.headers["Lambda-Runtime-Aws-Request-Id"] + "/response"
    urllib.request.urlopen(request, data=str(os.getpid()).encode())
"""

# Reports its Lambda's and its directory's names, then waits for a signal and takes its time.
PATIENT = f"import sys; sys.path.insert(0, {str(LOCAL_AWS.parent)!r})\n" + """
import local_aws_test, os, signal, time
def end(signum, _frame):
    time.sleep(0.5)
    print("ended by", signum, "beside Lambda", local_aws_test.invoke(), flush=True)
    os._exit(7)
signal.signal(signal.SIGINT, end)
signal.signal(signal.SIGTERM, end)
local_aws_test.create_function()
print("ready", local_aws_test.invoke(), os.environ["AVAILABILITY_LOCAL_TMP"], flush=True)
while True:
    signal.pause()
"""


def request(path, body, target=""):
    call = urllib.request.Request(
        os.environ["AWS_ENDPOINT_URL"] + path,
        data=json.dumps(body).encode(),
        headers={
            "Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/ca-central-1/"
            + ("dynamodb" if target else "lambda")
            + "/aws4_request, SignedHeaders=host, Signature=0",
            "Content-Type": "application/x-amz-json-1.0",
            **({"X-Amz-Target": target} if target else {}),
        },
    )
    with urllib.request.urlopen(call, timeout=SECONDS) as answer:
        return json.load(answer)


def create_table():
    request(
        "/",
        {
            "TableName": "signals",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
        "DynamoDB_20120810.CreateTable",
    )


def create_function():
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as output:
        entry = zipfile.ZipInfo("bootstrap")
        entry.external_attr = 0o755 << 16
        output.writestr(entry, BOOTSTRAP)
    request(
        "/2015-03-31/functions",
        {
            "FunctionName": "patient",
            "Runtime": "provided.al2023",
            "Handler": "bootstrap",
            "Role": "arn:aws:iam::000000000000:role/patient",
            "Code": {"ZipFile": base64.b64encode(archive.getvalue()).decode()},
        },
    )


def invoke():
    return request("/2015-03-31/functions/patient/invocations", {})


def lives(pid):
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.returncode == 0 and not done.stdout.startswith("Z")


class LocalAWSTest(unittest.TestCase):
    def run_beside(self, code, *options, **environment):
        return subprocess.run(
            [LOCAL_AWS, *options, "--", sys.executable, "-B", "-c", code],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10 * SECONDS, check=False,
        )  # fmt: skip

    def assert_nothing_is_left(self, output):
        ready = re.search(r"ready (\d+) (\S+)", output)
        self.assertIsNotNone(ready, output)
        self.assertFalse(lives(int(ready[1])), "the Lambda outlived its engine")
        self.assertFalse(os.path.exists(ready[2]), f"{ready[2]} is still there")
        self.assertIn(f"beside Lambda {ready[1]}", output, "the engine ended before the command")

    def test_command_sees_the_engine_and_no_setting_of_the_machine(self):
        show = (
            f"import sys; sys.path.insert(0, {str(LOCAL_AWS.parent)!r})\n"
            "import local_aws_test, json, os; local_aws_test.create_table(); print(json.dumps(dict(os.environ)))"
        )
        for engine in ("ministack", "moto"):
            with self.subTest(engine):
                done = self.run_beside(
                    show, "--engine", engine, AWS_PROFILE="work", AWS_ENDPOINT_URL_DYNAMODB="http://192.0.2.1"
                )
                self.assertEqual(0, done.returncode, done.stderr)
                seen = json.loads(done.stdout)
                self.assertEqual(engine, seen["AVAILABILITY_LOCAL_ENGINE"])
                self.assertEqual("ca-central-1", seen["AWS_REGION"])
                self.assertNotIn("AWS_PROFILE", seen)
                self.assertNotIn("AWS_ENDPOINT_URL_DYNAMODB", seen)
                self.assertFalse(os.path.exists(seen["AVAILABILITY_LOCAL_TMP"]))

    def test_clients_are_found_when_they_are_asked_for(self):
        show = "import subprocess; print(subprocess.check_output(['python3', '-c', 'import boto3; print(boto3.__name__)'], text=True), subprocess.check_output(['aws', '--version'], text=True))"
        done = self.run_beside(show, "--clients")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"boto3\s+aws-cli/")

    def test_status_is_the_commands(self):
        done = self.run_beside("raise SystemExit(3)")
        self.assertEqual(3, done.returncode, done.stderr)

    def test_unknown_command_is_named(self):
        done = subprocess.run(
            [LOCAL_AWS, "--", "no-such-command"], capture_output=True, text=True, timeout=SECONDS, check=False
        )
        self.assertEqual(1, done.returncode)
        self.assertIn("unable to run no-such-command", done.stderr)

    def test_signal_lets_the_command_finish_first(self):
        for signum in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signum.name):
                command = subprocess.Popen(
                    [LOCAL_AWS, "--", sys.executable, "-B", "-c", PATIENT],
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                )  # fmt: skip
                with command:
                    first = command.stdout.readline()
                    command.send_signal(signum)
                    output = first + command.communicate(timeout=SECONDS)[0]
                self.assertEqual(7, command.returncode, output)
                self.assertIn(f"ended by {signum.value} ", output)
                self.assert_nothing_is_left(output)

    def test_ctrl_c_in_a_terminal_reaches_the_command_once(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(LOCAL_AWS, [str(LOCAL_AWS), "--", sys.executable, "-B", "-c", PATIENT])
        output = ""
        typed = False
        deadline = time.monotonic() + SECONDS
        # Linux ends a terminal that nobody has open any more with an error.
        with contextlib.suppress(OSError):
            while time.monotonic() < deadline and (data := os.read(terminal, 4096)):
                output += data.decode(errors="replace")
                if not typed and re.search(r"ready \d+ \S+\s", output):
                    os.write(terminal, b"\x03")
                    typed = True
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        self.assertEqual(7, os.waitstatus_to_exitcode(status), output)
        self.assertEqual(1, output.count("ended by"), output)
        self.assert_nothing_is_left(output)

    def test_what_the_command_leaves_running_is_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            note = Path(folder) / "pid"
            leave = (
                "import subprocess, sys\n"
                "left = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
                f"open({str(note)!r}, 'w').write(str(left.pid))"
            )
            done = self.run_beside(leave)
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertFalse(lives(int(note.read_text(encoding="utf-8"))))

    def test_two_at_once_have_an_engine_each(self):
        create = f"import sys; sys.path.insert(0, {str(LOCAL_AWS.parent)!r}); import local_aws_test; local_aws_test.create_table()"
        both = [
            subprocess.Popen([LOCAL_AWS, "--", sys.executable, "-B", "-c", create], stderr=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        for one in both:
            _, errors = one.communicate(timeout=SECONDS)
            # The same table twice in one engine would be refused.
            self.assertEqual(0, one.returncode, errors)


if __name__ == "__main__":
    unittest.main()
