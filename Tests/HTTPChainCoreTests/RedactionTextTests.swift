import Foundation
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

@Suite("Redaction of text")
struct RedactionTextTests {
    @Test(
        "Secret members of JSON are redacted, whatever their value",
        arguments: [
            (#"{"password":"hunter2","name":"Ida"}"#, #"{"password":"<redacted>","name":"Ida"}"#),
            (#"{ "Password" : "hunter2" , "n":1}"#, #"{ "Password" : "<redacted>" , "n":1}"#),
            (#"{"accessToken":"hunter2"}"#, #"{"accessToken":"<redacted>"}"#),
            (#"{"secret":{"a":["hunter2","]"]},"n":1}"#, #"{"secret":"<redacted>","n":1}"#),
            (#"{"secret":["hunter2","}"],"n":1}"#, #"{"secret":"<redacted>","n":1}"#),
            (#"{"pwd":1234,"n":1}"#, #"{"pwd":"<redacted>","n":1}"#),
            (#"{"token":null,"session":true}"#, #"{"token":null,"session":true}"#),
            (#"{"token":"a\"hunter2","n":1}"#, #"{"token":"<redacted>","n":1}"#),
            (#"{"token":"hunter2\\","n":1}"#, #"{"token":"<redacted>","n":1}"#),
            (#"{"pass\u0077ord":"hunter2"}"#, #"{"pass\u0077ord":"<redacted>"}"#),
            (#"{"headers":{"Authorization":"Bearer hunter2"}}"#, #"{"headers":{"Authorization":"<redacted>"}}"#),
            (#"{'password': 'hunter2'}"#, #"{'password': '<redacted>'}"#),
        ]
    )
    func json(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "What is cut off anywhere does not show the rest of a secret",
        arguments: [
            (#"{"password":"hunt"#, #"{"password":"<redacted>"#),
            (#"{"password":"hunter2\"#, #"{"password":"<redacted>"#),
            (#"{"secret":{"a":"hunter2""#, #"{"secret":"<redacted>""#),
            (#"{"password":12"#, #"{"password":"<redacted>""#),
            (#"{"password":"#, #"{"password":"#),
            (#"{"password"#, #"{"password"#),
            ("<password>hunt", "<password><redacted>"),
            ("a=1&password=hun", "a=1&password=<redacted>"),
            (#"<user password="hunt"#, #"<user password="<redacted>"#),
        ]
    )
    func cutOff(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "Where a text is known to be cut off, what may be the beginning of a secret is not shown",
        arguments: [
            ("from https://user:hun", "from https://<redacted>"),
            ("from https://a.example/hooks/AKfJ39dK", "from https://a.example/hooks/<redacted>"),
            ("sent eyJhbGci", "sent <redacted>"), ("sent eyJ", "sent <redacted>"),
        ]
    )
    func begun(_ text: String, _ expected: String) {
        #expect(Redaction.standard.text(text, isCutOff: true) == expected)
        #expect(redacted(text) == text)
        #expect(Redaction.standard.text(text + ". On", isCutOff: true) == text + ". On")
    }

    @Test("Of a text that is cut off in the first line of a PEM block, nothing of the block is shown")
    func begunBlock() {
        #expect(Redaction.standard.text("a -----BEGIN PRIV", isCutOff: true) == "a <redacted>")
        #expect(redacted("a -----BEGIN PRIV") == "a -----BEGIN PRIV")
    }

    @Test("A text that is a secret is found wherever it stands")
    func values() {
        let equivalents = ["passwo\u{301}rd-1", "passw\u{F3}rd-1"]
        let both = Redaction.standard.adding(values: equivalents)
        for value in equivalents { #expect(both.text("it was \(value)") == "it was <redacted>") }
        let redaction = Redaction.standard.adding(values: ["hunter", "hun"])
        #expect(redaction.text("of the hunters, hunted") == "of the <redacted>s, hunted")
        #expect(redaction.text("hhunter, hunterhunter, hunte") == "h<redacted>, <redacted><redacted>, hunte")
        #expect(redaction.text("nothing") == "nothing")
    }

    @Test("A value of JSON without quotes is one, also where it is a word of prose")
    func unquoted() {
        #expect(redacted(#"{"token": what}"#) == #"{"token": "<redacted>"}"#)
    }

    @Test(
        "The key of a connection string, a SAML response and an authorization code are redacted",
        arguments: [
            (
                "DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=hunter2==;EndpointSuffix=core.windows.net",
                "DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=<redacted>"
            ),
            ("AZURE_STORAGE_KEY=hunter2 a", "AZURE_STORAGE_KEY=<redacted> a"),
            ("SAMLResponse=hunter2&RelayState=x", "SAMLResponse=<redacted>&RelayState=x"),
            ("https://a.example/cb?auth_code=hunter2&n=1", "https://a.example/cb?auth_code=<redacted>&n=1"),
            (#"{"tokens":["hunter2","b"],"max_tokens":5}"#, #"{"tokens":"<redacted>","max_tokens":5}"#),
            (#"{"credentials":{"a":"hunter2"},"n":1}"#, #"{"credentials":"<redacted>","n":1}"#),
            (
                #"{"Access-Control-Allow-Credentials":"true","grant_type":"authorization_code"}"#,
                #"{"Access-Control-Allow-Credentials":"true","grant_type":"authorization_code"}"#
            ),
            ("grant_type=authorization_code&n=1", "grant_type=authorization_code&n=1"),
        ]
    )
    func serviceSecrets(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test("JSON within a string of JSON is looked into")
    func nested() {
        let inner = #"{\"user\":\"Ida\",\"password\":\"hunter2\"}"#
        let result = redacted(#"{"body":""# + inner + #"","n":1}"#)
        #expect(!result.contains("hunter2"))
        #expect(result.contains("Ida") && result.hasSuffix(#"","n":1}"#))
    }

    @Test("A URL within a text loses its secrets and nothing else")
    func url() {
        #expect(
            redacted(#"{"next":"https://a.example/?token=hunter2&page=2"}"#)
                == #"{"next":"https://a.example/?token=<redacted>&page=2"}"#
        )
        // What would end a sentence is part of the value there.
        #expect(
            redacted("from https://a.example/?token=hunter2)&page=2 on")
                == "from https://a.example/?token=<redacted>&page=2 on"
        )
    }

    @Test(
        "Pairs of forms are redacted by their name, brackets and escapes included",
        arguments: [
            ("user=Ida&password=hunter2&n=1", "user=Ida&password=<redacted>&n=1"),
            ("user%5Bpassword%5D=hunter2&n=1", "user%5Bpassword%5D=<redacted>&n=1"),
            ("user[password]=hunter2", "user[password]=<redacted>"),
            ("user.password=hunter2", "user.password=<redacted>"),
            ("access_token=a;b,c&x=y", "access_token=<redacted>&x=y"),
            ("monkey=1&keynote=2", "monkey=1&keynote=2"),
            ("password=&x=1", "password=&x=1"),
        ]
    )
    func forms(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "Elements, attributes and property lists are redacted",
        arguments: [
            ("<a><password>hunter2</password><b>1</b></a>", "<a><password><redacted></password><b>1</b></a>"),
            ("<s:Token x='1'>hunter2</s:Token>", "<s:Token x='1'><redacted></s:Token>"),
            ("<token><token>a</token>hunter2</token>z", "<token><redacted></token>z"),
            (#"<user password="hunter2" name="Ida"/>"#, #"<user password="<redacted>" name="Ida"/>"#),
            ("<password/><b>1</b>", "<password/><b>1</b>"),
            (
                "<plist><dict><key>password</key>\n<string>hunter2</string><key>name</key><string>Ida</string></dict>",
                "<plist><dict><key>password</key>\n<string><redacted></string><key>name</key><string>Ida</string></dict>"
            ),
        ]
    )
    func xml(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "What people and programs write into errors and logs is found",
        arguments: [
            ("Authorization=Bearer hunter2", "Authorization=<redacted>"),
            ("Authorization: Bearer hunter2", "Authorization: <redacted>"),
            ("password = hunter2", "password = <redacted>"),
            ("password: hunter2, then", "password: <redacted>, then"),
            ("password: hunter2<", "password: <redacted>"),
            ("password: hunter2</b>", "password: <redacted></b>"),
            ("password=hunter2<!-- a -->", "password=<redacted><!-- a -->"),
            ("password:=hunter2 a", "password:=<redacted> a"),
            ("password=>hunter2 a", "password=><redacted> a"),
            ("password:>hunter2 a", "password:<redacted> a"),
            ("token: //hunter2 a", "token: <redacted> a"),
            (#"password: Optional("hunter2")"#, "password: <redacted>"),
            (
                #"URLQueryItem(name: "password", value: Optional("hunter2"))"#,
                #"URLQueryItem(name: "password", value: <redacted>)"#
            ),
            ("secret: /hunter2==", "secret: <redacted>"),
            ("sent Bearer 12|hunter2.", "sent Bearer <redacted>."),
            ("sent Digest hunterTwoHunterAZ and", "sent Digest <redacted> and"),
            ("sent Negotiate hunter2/az= and", "sent Negotiate <redacted> and"),
            ("sent Basic aHVudGVyMg= and", "sent Basic <redacted> and"),
            ("sent Digest 12345a and", "sent Digest <redacted> and"),
            ("sent eyJhbGciOiJI.e30 and", "sent <redacted> and"),
            ("Set-Cookie: sid=hunter2; Path=/\r\nX: y", "Set-Cookie: <redacted>\r\nX: y"),
            ("curl --password hunter2 -v", "curl --password <redacted> -v"),
            ("(password=hunter2) failed", "(password=<redacted>) failed"),
            ("{password=hunter2, a=b}", "{password=<redacted>, a=b}"),
            (#"["password": "hunter2", "a": "b"]"#, #"["password": "<redacted>", "a": "b"]"#),
            ("token=make(\"hunter2\")hunter2&x=1", "token=<redacted>&x=1"),
            ("GET /cb?code=hunter2&x=1 failed", "GET /cb?code=<redacted>&x=1 failed"),
            (
                "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY----- b",
                "-----BEGIN PRIVATE KEY-----<redacted>-----END PRIVATE KEY----- b"
            ),
            ("-----BEGIN PRIVATE KEY-----\nhunter2", "-----BEGIN PRIVATE KEY-----<redacted>"),
            (
                "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n--b--",
                "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n<redacted>\r\n--b--"
            ),
            (
                "AWS4-HMAC-SHA256 Credential=hunter2, Signature=hunter2",
                "AWS4-HMAC-SHA256 Credential=<redacted>, Signature=<redacted>"
            ),
        ]
    )
    func freeText(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "What follows a scheme's name is a credential where it looks like one, and ends where it does",
        arguments: [
            ("sent Digest 12345%26a and", "sent Digest <redacted> and"),
            (#"Digest username="ida", nonce="n", response="hunter2""#, "Digest <redacted>"),
            (#"Digest realm="a", nonce="n""#, #"Digest realm="a", nonce="n""#),
            ("sent Basic aHVudGVyMg== as", "sent Basic <redacted> as"), ("digest Beer==", "digest <redacted>"),
            ("Basic aHVudGVyMg=", "Basic <redacted>"), ("Bearer page=2 on", "Bearer page=2 on"),
            ("sent Basic ink", "sent Basic <redacted>"), ("sent Bearer ", "sent Bearer "),
            (#"sent Bearer hunter2\" on"#, #"sent Bearer <redacted>\" on"#), ("Bearer 12|VAL]UE", "Bearer <redacted>"),
            ("Bearer \nhunter2", "Bearer \nhunter2"), ("sent Bearer ~abc1~", "sent Bearer <redacted>"),
            (#"Bearer realm=\"a\""#, #"Bearer realm=\"a\""#), ("Bearer error_uri=x on", "Bearer error_uri=x on"),
            ("Bearer token-based on", "Bearer token-based on"), ("sent Bearer token~x", "sent Bearer <redacted>"),
            ("sent Digest hunterhunterAhunter and", "sent Digest <redacted> and"),
            ("sent Digest hunterTwoHunterX and", "sent Digest <redacted> and"),
            ("sent Digest hunterTwoHunter and", "sent Digest hunterTwoHunter and"),
            ("sent Digest 1234567 and", "sent Digest 1234567 and"), ("sent Digest a1bcd and", "sent Digest a1bcd and"),
            ("use Basic+token1 or Bearer+x1", "use Basic+token1 or Bearer+x1"),
            (#"sent Negotiate "hunter2/az=" and"#, #"sent Negotiate "<redacted>" and"#),
            ("sent Digest ABCDEFGHIJKLMNOPQR and", "sent Digest ABCDEFGHIJKLMNOPQR and"),
            ("sent Digest hunterhunterhunter and", "sent Digest hunterhunterhunter and"),
        ]
    )
    func credentials(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "A JSON Web Token begins with a word, or after an escape, and has a dot",
        arguments: [
            ("a_eyJhbGciOiJI.e30 b", "a_<redacted> b"), ("_eyJhbGciOiJI.e30 b", "_<redacted> b"),
            (#"a\neyJhbGciOiJI.e30 b"#, #"a\n<redacted> b"#), ("xeyJhbGciOiJI.e30 b", "xeyJhbGciOiJI.e30 b"),
            ("sent eyJhbGciOiJI.e30-_x| and", "sent <redacted>| and"),
            ("sent eyJhbGciOiJIUzI1abcd and", "sent eyJhbGciOiJIUzI1abcd and"),
            // What has a secret is scanned to its end.
            ("pwd=hunter2 xyJhbGciOiJI.e30 b", "pwd=<redacted> xyJhbGciOiJI.e30 b"),
            ("pwd=hunter2 exJhbGciOiJI.e30 b", "pwd=<redacted> exJhbGciOiJI.e30 b"),
            ("pwd=hunter2 eyXhbGciOiJI.e30 b", "pwd=<redacted> eyXhbGciOiJI.e30 b"),
            ("eyJhbGciOiJI.e30 b", "<redacted> b"),
            (#"\neyJhbGciOiJI.e30 b"#, #"\n<redacted> b"#), ("xxeyJhbGciOiJI.e30 b", "xxeyJhbGciOiJI.e30 b"),
        ]
    )
    func webTokens(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test("A PEM block has a label of less than 70 characters, wherever in a text it stands")
    func labels() {
        let before = String(repeating: "x ", count: 100)
        for (length, isBlock) in [(10, true), (68, true), (69, false)] {
            let label = before + "-----BEGIN " + String(repeating: "A", count: length) + "-----"
            #expect(redacted(label + "hunter2") == label + (isBlock ? "<redacted>" : "hunter2"))
        }
    }

    @Test(
        "Elements end with their own name, placeholders are none, and names stand beside values also where all is escaped",
        arguments: [
            ("a <secret> b", "a <secret> b"), ("<secret> = 1", "<secret> = 1"),
            ("<secret>hunter2</secret>", "<secret><redacted></secret>"),
            ("<token><tokenB/>hunter2</token>z", "<token><redacted></token>z"),
            ("<token>hunter2</token", "<token><redacted></token"),
            (#"<meta name%3A"csrf-token" content="hunter2"/>"#, #"<meta name%3A"csrf-token" content="<redacted>"/>"#),
            (#"<input e="csrf_token" value="x">"#, #"<input e="csrf_token" value="x">"#),
            (
                "%7B%22name%22%3A%22password%22%2C%22value%22%3A%22hunter2%22%7D",
                "%7B%22name%22%3A%22password%22%2C%22value%22%3A%22<redacted>%22%7D"
            ),
            (
                "%257B%2522name%2522%253A%2522password%2522%252C%2522value%2522%253A%2522hunter2%2522%257D",
                "%257B%2522name%2522%253A%2522password%2522%252C%2522value%2522%253A%2522<redacted>%2522%257D"
            ),
            (#"<p>name="csrf_token" value="hunter2">x"#, #"<p>name="csrf_token" value="<redacted>">x"#),
        ]
    )
    func markup(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test("In a form a space before a credential is a plus, and nothing else is")
    func credentialsOfForms() {
        let rows = [
            ("h=Bearer+hunter2&a=1", "h=Bearer+<redacted>&a=1"), ("Bearer%253D", "Bearer%253D"),
            ("Basic#abc1", "Basic#abc1"),
        ]
        for (text, expected) in rows { #expect(Redaction.standard.form(text) == expected) }
    }

    @Test(
        "A value whose name stands beside it is found",
        arguments: [
            (#"{"name":"password","value":"hunter2"}"#, #"{"name":"password","value":"<redacted>"}"#),
            (
                #"{"value":"hunter2","name":"password"},{"value":"x"}"#,
                #"{"value":"<redacted>","name":"password"},{"value":"x"}"#
            ),
            (#"<input name="csrf_token" value="hunter2">x"#, #"<input name="csrf_token" value="<redacted>">x"#),
            (#"<input name="csrf_token" value=hunter2>x"#, #"<input name="csrf_token" value=<redacted>>x"#),
            (
                #"<input value='hunter2' type=hidden name=csrf_token>x"#,
                #"<input value='<redacted>' type=hidden name=csrf_token>x"#
            ),
            (
                #"<property name="password">hunter2</property><a/>"#,
                #"<property name="password"><redacted></property><a/>"#
            ),
            (#"<meta name="csrf-token" content="hunter2"/>"#, #"<meta name="csrf-token" content="<redacted>"/>"#),
        ]
    )
    func besideItsName(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test("A name is known by what it is assigned to, and so is its value")
    func keysOfNames() {
        for key in [
            "field", "for", "header", "id", "itemprop", "k", "key", "label", "n", "name", "param", "parameter",
            "property",
            "type",
        ] {
            let text = "{\"\(key)\":\"password\",\"value\":\"hunter2\",\"other\":\"a\"}"
            #expect(redacted(text) == text.replacingOccurrences(of: "hunter2", with: "<redacted>"))
        }
        for key in ["content", "data", "default", "stringValue", "text", "v", "val", "value"] {
            let text = "{\"name\":\"password\",\"\(key)\":\"hunter2\",\"other\":\"a\"}"
            #expect(redacted(text) == text.replacingOccurrences(of: "hunter2", with: "<redacted>"))
        }
    }

    @Test("What follows an element without content is none")
    func emptyElements() {
        for tag in ["input", "meta", "param", "add", "link", "label", "option"] {
            #expect(
                redacted("<\(tag) name=\"csrf_token\" value=\"hunter2\">x</a>")
                    == "<\(tag) name=\"csrf_token\" value=\"<redacted>\">x</a>"
            )
        }
    }

    @Test(
        "Escapes are read as what they mean",
        arguments: [
            (
                #"{"u":"https:\/\/user:hunter2@a.example\/x"}"#,
                #"{"u":"https:\/\/<redacted>@a.example\/x"}"#
            ),
            (
                #""--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n--b--""#,
                #""--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n<redacted>\r\n--b--""#
            ),
            (#"{"q":"{\"password\": \"hunter2\", \"a\": 1}"}"#, #"{"q":"{\"password\": \"<redacted>\", \"a\": 1}"}"#),
            (
                #"{"q":"{\"q\":\"{\\\"password\\\": \\\"hun\\\\\\\"ter2\\\", \\\"b\\\":2}\"}"}"#,
                #"{"q":"{\"q\":\"{\\\"password\\\": \\\"<redacted>\\\", \\\"b\\\":2}\"}"}"#
            ),
            (
                #"{"query":"mutation { login(user: \"ida\", password: \"hunter2\") { id } }"}"#,
                #"{"query":"mutation { login(user: \"ida\", password: \"<redacted>\") { id } }"}"#
            ),
            (
                #"{"u":"https://x.example/?a=1\u0026token=hunter2\u0026b=2"}"#,
                #"{"u":"https://x.example/?a=1\u0026token=<redacted>\u0026b=2"}"#
            ),
            (
                #"{"x":"\u003cpassword\u003ehunter2\u003c/password\u003e"}"#,
                #"{"x":"\u003cpassword\u003e<redacted>\u003c/password\u003e"}"#
            ),
            (
                "&quot;password&quot;:&quot;hunter2&quot;,&quot;a&quot;:1",
                "&quot;password&quot;:&quot;<redacted>&quot;,&quot;a&quot;:1"
            ),
        ]
    )
    func escapes(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "A quote of markup is one, however it is escaped",
        arguments: [("&quot;", "&#34;"), ("&#x22;", "&quot;"), ("&apos;", "&#39;"), ("&#x27;", "&apos;")]
    )
    func escapedQuotes(_ first: String, _ second: String) {
        for quote in [first, second] {
            let text = "\(quote)password\(quote):\(quote)hunter2\(quote),\(quote)a\(quote):1"
            #expect(redacted(text) == text.replacingOccurrences(of: "hunter2", with: "<redacted>"))
        }
        #expect(
            redacted("\(first)password\(first):\(first)hunter2\(second),x")
                == "\(first)password\(first):\(first)<redacted>\(second),x"
        )
    }

    @Test(
        "What divides pairs and elements is found, however it is escaped",
        arguments: [
            ("a=1&amp;token=hunter2&amp;b=2", "a=1&amp;token=<redacted>&amp;b=2"),
            ("a=1&#38;token=hunter2&#38;b=2", "a=1&#38;token=<redacted>&#38;b=2"),
            ("token&equals;hunter2&b=2", "token&equals;<redacted>&b=2"),
            ("token&#61;hunter2&b=2", "token&#61;<redacted>&b=2"),
            ("token&#x3d;hunter2&b=2", "token&#x3d;<redacted>&b=2"),
            ("&lt;token&gt;hunter2&lt;/token&gt;", "&lt;token&gt;<redacted>&lt;/token&gt;"),
        ]
    )
    func escapedDelimiters(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test("Text without secrets stays as it is")
    func untouched() {
        for text in [
            "", "\"", "<", "{", "plain words, 5 < 6 & 7 > 2", #"{"a":"b\\n\u00e9","c":[1,2]}"#, "<p class=\"x\">é</p>",
            "the token of the day: none", "a Bearer token was refused", "Basic authentication failed.",
            "Session.swift:12: error", "WWW-Authenticate: Bearer realm=\"x\", error=\"invalid_token\"", "<secret>",
            "GET https://api.example/v1/users/6f9619ff-8b86-d011-b42d-00c04fc964ff took 5 ms",
            "Basic (RFC 7617)", "Bearer authentication, Bearer tokens' end", "Digest hunterTwoHunter{z on",
            "Digest hunterTwoHunt on", "sent eyJhbGciOiJ.e30 and", "token = null x", "token://a.example/x",
            "the password: what the user types",
            "https://a.example/507f1f77bcf86cd799439011/x",
        ] {
            #expect(redacted(text) == text)
        }
    }

    @Test("Words that stand for no value, and those of prose about secrets and schemes, stay as they are")
    func prose() {
        for word in ["null", "nil", "none", "true", "false", "undefined"] {
            #expect(redacted("token = \(word), n = 1") == "token = \(word), n = 1")
        }
        let aboutSecrets = """
            a all an and any are as at by can each every for from how if in is it its no not of on one only or see \
            string such that the they this to use what when where whether which who whose with
            """
        for word in aboutSecrets.split(separator: " ") {
            #expect(redacted("the token: \(word) x") == "the token: \(word) x")
        }
        let aboutSchemes = """
            access and are auth authentication authorization can cannot challenge challenges client credential \
            credentials endpoint error expired failed for from has in is it middleware must needs not of on only or \
            over password realm request response scheme server session stage support that the to token tokens type \
            was when which with without
            """
        for word in aboutSchemes.split(separator: " ") {
            #expect(redacted("Bearer \(word) x") == "Bearer \(word) x")
        }
    }

    @Test("A quote too many does not lead past a secret")
    func misaligned() {
        #expect(!redacted(#"a 5" screen {"password": "hunter2"}"#).contains("hunter2"))
        #expect(!redacted(#"""{"password":"hunter2"}"#).contains("hunter2"))
    }

    @Test("Random text and deep nesting neither trap nor take long", .seeded, .timeLimit(.minutes(10)))
    func random() {
        var generator = Numbers(Seed.numbers())
        let pieces = [
            "\"", "\\", "{", "}", "<", ">", "/", "password", "=", ":", "key", "'", "&", " ", "é", "\\u00", "dict",
        ]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
            _ = redacted(text)
        }
        for piece in ["<a", "\"\\", "{\"secret\":", "[", "<password>", "\\\"", "token=(", "%25", "&quot;", "a:b@"] {
            _ = redacted(String(repeating: piece, count: 20_000))
        }
        for piece in ["name=\"password\" ", "{\"name\":\"password\",", "https://a@", "-----BEGIN X", "<password "] {
            _ = redacted(String(repeating: piece, count: 500))
        }
    }

    @Test("Errors show no secret of a body, and binary data not at all")
    func errors() {
        let body = Data(#"{"token":"hunter2","a":1}"#.utf8)
        let snapshot = ExchangeSnapshot(
            HTTPRequest(method: .get, scheme: "https", authority: "a.example", path: "/"),
            response: HTTPResponse(status: .ok),
            preview: BodyPreview(body, isTruncated: false)
        )
        #expect(!"\(snapshot)".contains("hunter2"))
        let failure = DecodingFailure(
            [Int].self,
            from: body,
            head: HTTPResponse(status: .ok),
            cause: CancellationError()
        )
        #expect(!"\(failure)".contains("hunter2"))
        #expect("\(failure)".contains("\"a\":1"))
        let wide = Data(#"{"token":"hunter2"}"#.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        #expect("\(BodyPreview(wide, isTruncated: false))" == "\(wide.count) bytes of binary data")
    }

    private enum Kind: String, Decodable {
        case a
    }

    private struct Account: Decodable {
        let kind: Kind
        let token: Kind
    }

    @Test("What a decoder quotes of a secret is not shown")
    func quoted() throws {
        for (text, shown) in [
            (#"{"kind":"a","token":"hunter2"}"#, "token: its value, which is not shown, is not valid"),
            (#"{"kind":"b","token":"hunter2"}"#, "kind: "),
        ] {
            let bytes = Data(text.utf8)
            let error = try #require(throws: DecodingError.self) { try JSONDecoder().decode(Account.self, from: bytes) }
            let failure = DecodingFailure(Account.self, from: bytes, head: HTTPResponse(status: .ok), cause: error)
            #expect(!"\(failure)".contains("hunter2"))
            #expect("\(failure)".contains(shown))
        }
    }
}
