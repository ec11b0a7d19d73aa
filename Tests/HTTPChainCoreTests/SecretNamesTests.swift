import HTTPChainTesting
import TestSupport
import Testing

@testable import HTTPChainRedaction

@Suite("The names of secrets")
struct SecretNamesTests {
    private let names = SecretNames([
        "token", "password", "sid", "X-Api-Key", "Schlüssel", "Grün-Wert_1", "ü.x", "x[y]", "a.b", ".x1", "-",
        "*secret", "x-amz-*",
        "*passphrase*",
    ])

    @Test(
        "Letter case, hyphens and underscores make no difference, and a piece of a path counts",
        arguments: [
            ("token", true), ("Token", true), ("to-ken", true), ("TO_KEN", true), ("x_api_key", true),
            ("xApiKey", true), ("user[password]", true), ("user.password", true), ("a:b:sid", true), ("[sid]", true),
            ("tokens", false), ("tok", false), ("user[name]", false), ("SCHLÜSSEL", true), ("schluessel", false),
            ("x.schlüssel", true), ("schlüs-sel.x", true), ("GRÜNWERT1", true), ("Ü.X", true), ("X[Y]", true),
            ("grün_wert-1", true),
            ("grünwert", false),
            ("A.B", true), ("a", false), ("b", false), (".x1", true), ("x1", false), ("sid.x.y", true), ("", false),
            ("[]", false),
        ]
    )
    func table(name: String, expected: Bool) {
        #expect(names.contains(name) == expected)
    }

    @Test("Names of three letters are known, whatever their letters")
    func shortNames() {
        for first in UInt8(ascii: "a")...UInt8(ascii: "z") {
            for second in UInt8(ascii: "a")...UInt8(ascii: "z") {
                let name = String(decoding: [first, second, UInt8(ascii: "q")], as: UTF8.self)
                #expect(SecretNames([name]).contains(name), "\(name)")
            }
        }
    }

    @Test(
        "An asterisk stands for anything",
        arguments: [
            ("clientSecret", true), ("client-secret", true), ("user[clientSecret]", true), ("secrets", false),
            ("X-Amz-Date", true), ("x_amz_", true), ("my-x-amz-date", false), ("keyPassphrase2", true), ("amz", false),
            ("zezret", false),
        ]
    )
    func patterns(name: String, expected: Bool) {
        #expect(names.contains(name) == expected)
    }

    @Test(
        "Names are known by word and by ending",
        arguments: [
            "userPassword", "new_password_1", "db-password", "accessToken", "oauth_token", "X-Vault-Token",
            "client_secret", "aws_secret_access_key", "api_key", "apikey", "X-Goog-Api-Key", "AWSAccessKeyId",
            "X-Amz-Signature", "X-Amz-Security-Token", "sig", "jsessionid", "JSESSIONID", "PHPSESSID", "connect.sid",
            "__RequestVerificationToken", "csrf_token", "authenticity_token", "private_key", "signing-key",
            "oldPasswd2", "keyPassphrase2", "passcode", "api_key_2", "secret_keys", "private_keys", "access-key-2",
            "auth_key",
            "encryption_key", "shared_key", "session_id", "session_key", "db_pwd", "credential", "id_jwt", "assertion",
            "auth",
            "bearer", "client_assertion", "code_verifier", "device_code", "otp", "pass", "secret_string", "secretValue",
            "session", "sid", "signature", "X-Goog-Credential", "X-Goog-Signature", "AccountKey", "AZURE_STORAGE_KEY",
            "licenseKey", "SAMLResponse", "authCode", "auth_code", "authorizationCode", "authorization_code",
            "credentials", "userCredentials", "client_secrets", "tokens", "accessTokenValue", "client_secret_value",
        ]
    )
    func standard(name: String) {
        #expect(Redaction.standard.isSecret(name: name))
    }

    @Test(
        "Names that only look alike are none",
        arguments: [
            "max_tokens", "total_tokens", "token_values", "error_code", "authorCode", "storageKeys", "accountKeyName",
            "samlResponses", "allowCredentials", "withCredentials", "Access-Control-Allow-Credentials",
            "credentialsType", "token_type", "monkey", "keyboard", "author", "authority", "signal", "side",
            "broken", "sessions", "secretary", "code", "key", "passenger", "bypass", "assertions", "design", "turkey",
            "compass",
        ]
    )
    func alike(name: String) {
        #expect(!Redaction.standard.isSecret(name: name))
    }

    @Test("A query has names of secrets of its own", arguments: ["code", "key", "X-Goog-Date"])
    func pairs(name: String) {
        #expect(Redaction.standard.isSecret(pairName: name))
        #expect(!Redaction.standard.isSecret(name: name))
    }

    @Test("Those of members are names of secrets in a query, too", arguments: ["token", "sid", "X-Amz-Date"])
    func shared(name: String) {
        #expect(Redaction.standard.isSecret(pairName: name))
        #expect(Redaction.standard.isSecret(name: name))
    }

    @Test("A letter and an asterisk are a pattern, and an asterisk alone is none")
    func shortPatterns() {
        let names = SecretNames(["q*", "*"])
        #expect(names.contains("q1") && names.contains("q") && !names.contains("aq"))
        #expect(SecretNames(["*q"]).contains("aq"))
    }

    @Test(
        "An asterisk inside stands for anything, and the hyphens beside it count",
        arguments: [
            ("x-a-key", true), ("X_A_B_KEY", true), ("headers[X-A-Key]", true), ("--x-a-key", true),
            ("log.x-a-key", true), ("x-key", false),
            ("xAKey", false), ("x-akey", false), ("y-x-a-key", false), ("x-a-keys", false), ("x-a-key.b", true),
            ("x-a-key[0]", true),
            ("X-Cache-Key", false), ("cacheKey", false), ("x-cache-key-key", true), ("", false), ("]", false),
        ]
    )
    func inside(name: String, expected: Bool) {
        let names = SecretNames(["x-*-key"], exceptions: ["x-*-key": ["x-cache-key"]])
        #expect(names.contains(name) == expected)
    }

    @Test("An exception holds only for its pattern")
    func exceptions() {
        let exceptions = ["x-*-key": ["x-cache-key"], "*things": ["all-things"]]
        #expect(SecretNames(["*key"], exceptions: exceptions).contains("X-Cache-Key"))
        #expect(SecretNames(["x-*-key", "x-cache-key"], exceptions: exceptions).contains("X-Cache-Key"))
        let names = SecretNames(["*things"], exceptions: exceptions)
        #expect(names.contains("someThings") && !names.contains("allThings") && !names.contains("All-Things"))
    }

    @Test("Of a long name the last 256 bytes count")
    func long() {
        for (length, expected) in [(251, false), (252, true), (253, false)] {
            #expect(names.contains("xsid." + String(repeating: "a", count: length)) == expected, "\(length)")
        }
        #expect(names.contains(String(repeating: "a", count: 1000) + ".sid"))
    }

    @Test("What the first look lets pass, the scanner leaves as it is, whatever it is made of", .seeded)
    func suspicion() {
        let random = Seed.numbers()
        let pieces = [
            "token", "Pass", "word", "-", "_", ".", "[", "]", "=", "\"", "'", ":", "<", ">", "a", " ", "\\", "ü", "&",
            "?", "/", "://", "@", "Bearer ", "Basic ", "x1", "eyJ", "%3D", "%", "\\u0070", "\n", ";", "name", "value",
            "AKfJ39dKx02LqZ8vWm41pQ", "-----BEGIN X-----", "code", "sid", "{", "}", "(", "#", "input ", "form-data; ",
        ]
        var passed = 0
        for _ in 0..<20_000 {
            let count = 1 + random.next() % 8
            let text = (0..<count).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
            for isURL in [false, true] {
                let rules = Redaction.standard.rules
                guard !SecretSuspicion(rules: rules, isURL: isURL).isRaised(by: text) else { continue }
                passed += 1
                var scanner = SecretScanner(Array(text.utf8), rules: rules, mode: isURL ? .url : .text)
                #expect(scanner.redacted() == nil, "\(text)")
            }
        }
        #expect(passed > 1000)
    }

    @Test("Redacting what is redacted changes nothing")
    func idempotence() {
        for text in [
            "password = hunter2", "https://a:b@c.example/?token=x&y=1",
            #"{"a":{"password":[1,2]},"b":"Bearer x1y2z3"}"#,
            "Cookie: a=b", "<password>x</password>", "token: Optional(\"x\")", "a=1&sid=2#x",
        ] {
            let once = Redaction.standard.text(text)
            #expect(Redaction.standard.text(once) == once)
            #expect(once != text)
        }
    }
}
