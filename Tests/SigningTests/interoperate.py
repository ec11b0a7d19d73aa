"""Signs and verifies with third-party programs: http-message-signatures, botocore, standardwebhooks.

Usage: interoperate.py TASK < JSON > JSON. Exits with status 3 if a program isn't installed, and with 4 if a signature
isn't valid.
"""

import datetime
import json
import sys
import types


def resolver(task):
    from http_message_signatures import HTTPSignatureKeyResolver

    class One(HTTPSignatureKeyResolver):
        def resolve_public_key(self, key_id):
            return task["public"].encode()

        def resolve_private_key(self, key_id):
            return task["private"].encode()

    return One()


def message(task):
    request = types.SimpleNamespace(method=task["method"], url=task["url"], headers=dict(task["fields"]))
    if "status" not in task:
        return request
    return types.SimpleNamespace(status_code=task["status"], headers=dict(task["responseFields"]), request=request)


def algorithm(task):
    from http_message_signatures import algorithms

    return {
        "hmac-sha256": algorithms.HMAC_SHA256,
        "ed25519": algorithms.ED25519,
        "ecdsa-p256-sha256": algorithms.ECDSA_P256_SHA256,
        "ecdsa-p384-sha384": algorithms.ECDSA_P384_SHA384,
        "rsa-pss-sha512": algorithms.RSA_PSS_SHA512,
        "rsa-v1_5-sha256": algorithms.RSA_V1_5_SHA256,
    }[task["algorithm"]]


def verify_message(task):
    from http_message_signatures import HTTPMessageVerifier

    verifier = HTTPMessageVerifier(signature_algorithm=algorithm(task), key_resolver=resolver(task))
    results = verifier.verify(message(task), max_age=datetime.timedelta(days=1))
    return {"covered": [str(name) for name in results[0].covered_components]}


def sign_message(task):
    from http_message_signatures import HTTPMessageSigner

    signer = HTTPMessageSigner(signature_algorithm=algorithm(task), key_resolver=resolver(task))
    signed = message(task)
    signer.sign(
        signed,
        key_id="a",
        label="theirs",
        nonce="n",
        tag="garden",
        use_existing_digest=True,
        covered_component_ids=tuple(task["components"]),
    )
    return {"fields": {name: value for name, value in signed.headers.items() if name.lower().startswith("signature")}}


def aws(task):
    from botocore import auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    moment = datetime.datetime.strptime(task["date"], "%Y%m%dT%H%M%SZ")
    auth.get_current_datetime = lambda *rest, **more: moment
    kind = auth.S3SigV4Auth if task["service"] == "s3" else auth.SigV4Auth
    signer = kind(Credentials(task["key"], task["secret"], task.get("token")), task["service"], task["region"])
    request = AWSRequest(
        method=task["method"], url=task["url"], headers=dict(task["fields"]), data=task["content"].encode()
    )
    signer.add_auth(request)
    return {"authorization": request.headers["Authorization"]}


def sign_webhook(task):
    from standardwebhooks import Webhook

    moment = datetime.datetime.fromtimestamp(task["time"], tz=datetime.timezone.utc)
    return {"signature": Webhook(task["secret"]).sign(task["id"], moment, task["content"])}


def verify_webhook(task):
    from standardwebhooks import Webhook

    return {"content": Webhook(task["secret"]).verify(task["content"], task["fields"])}


def main():
    task = json.load(sys.stdin)
    try:
        result = globals()[sys.argv[1]](task)
    except ModuleNotFoundError as error:
        sys.stderr.write(str(error))
        sys.exit(3)
    except Exception as error:
        if type(error).__name__ not in ("InvalidSignature", "WebhookVerificationError"):
            raise
        sys.stderr.write(repr(error))
        sys.exit(4)
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
