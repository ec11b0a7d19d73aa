import Foundation

/// One way in which a secret stands in a text.
package struct SecretShape: Sendable, CustomStringConvertible {
    /// What a sink must not show.
    package let secret: String
    /// The text with the secret in it.
    package let text: String
    /// How it was made.
    package let description: String
}

/// Makes secrets in all the shapes in which programs, servers and people write them: names × separators × quotings ×
/// encodings.
package enum SecretShapes {
    package static let names = [
        "password", "userPassword", "new-password", "accessToken", "refresh_token", "client_secret", "x-api-key",
        "apiKey", "AWSAccessKeyId", "X-Amz-Signature", "sig", "jsessionid", "PHPSESSID", "db_passphrase", "id_token",
        "Authorization", "X-Auth-Token", "csrf_token", "private_key", "X-ZUMO-AUTH", "X-License-Key", "X-GitHub-OTP",
        "AccountKey", "SAMLResponse", "authorizationCode", "credentials", "client_secrets", "accessTokenValue",
    ]

    /// How a name and its value are put together; NAME and VALUE stand for them.
    private static let forms: [(name: String, text: String)] = [
        ("query", "GET https://a.example/x?page=2&NAME=VALUE&n=1 failed"),
        ("relative query", "sent to /x?NAME=VALUE&n=1"),
        ("fragment", "https://a.example/cb#NAME=VALUE&state=1"),
        ("matrix", "https://a.example/x;NAME=VALUE/y?z=1"),
        ("form", "user=Ida&NAME=VALUE&n=1"),
        ("nested form", "user[NAME]=VALUE&n=1"),
        ("equals", "could not log in: NAME=VALUE"),
        ("spaced equals", "could not log in with NAME = VALUE"),
        ("arrow", "{:NAME => \"VALUE\", :n => 1}"),
        ("assignment", "NAME := \"VALUE\""),
        ("colon", "it had NAME: VALUE, and was refused"),
        ("line", "NAME: VALUE\nnext: 1"),
        ("optional", "NAME: Optional(\"VALUE\")"),
        ("single quotes", "{'NAME': 'VALUE', 'n': 1}"),
        ("JSON", "{\"n\":1,\"NAME\":\"VALUE\"}"),
        ("JSON with spaces", "{ \"NAME\" : \"VALUE\" , \"n\": 1 }"),
        ("JSON array", "{\"NAME\":[\"x\",\"VALUE\"],\"n\":1}"),
        ("JSON object", "{\"NAME\":{\"a\":{\"b\":\"VALUE\"}},\"n\":1}"),
        ("pair of members", "{\"name\":\"NAME\",\"value\":\"VALUE\"}"),
        ("pair of members, the other way round", "{\"value\":\"VALUE\",\"name\":\"NAME\"}"),
        ("Swift pair", "Item(name: \"NAME\", value: \"VALUE\")"),
        ("dictionary", "[\"NAME\": \"VALUE\", \"n\": \"1\"]"),
        ("element", "<user><NAME>VALUE</NAME><n>1</n></user>"),
        ("attribute", "<user NAME=\"VALUE\" n=\"1\"/>"),
        ("input", "<input type=\"hidden\" name=\"NAME\" value=\"VALUE\">"),
        ("bare input", "<input name=NAME value=VALUE>"),
        ("property", "<property name=\"NAME\">VALUE</property>"),
        ("property list", "<dict><key>NAME</key><string>VALUE</string></dict>"),
        ("part", "--b\r\nContent-Disposition: form-data; name=\"NAME\"\r\n\r\nVALUE\r\n--b--\r\n"),
        ("GraphQL", "mutation { login(user: \"ida\", NAME: \"VALUE\") { id } }"),
        ("option", "curl --NAME VALUE https://a.example/"),
    ]

    /// Shapes that need no name.
    private static let nameless: [(name: String, text: String)] = [
        ("bearer", "sent Bearer VALUE to it"), ("bearer field", "Authorization: Bearer VALUE"),
        ("bearer assignment", "Authorization=Bearer VALUE"), ("basic", "with Basic VALUE== as credentials"),
        ("numbered bearer", "Bearer 12|VALUE"), ("cookie", "Cookie: theme=dark; sid2=VALUE; x=y"),
        ("set-cookie", "Set-Cookie: sid2=VALUE; Path=/; Secure"),
        ("userinfo", "https://ida:VALUE@a.example/x"), ("user", "https://VALUE@a.example/x"),
        ("JWT", "got eyJhbGciOiJIUzI1NiJ9.VALUE.c2ln back"),
        ("JWT path", "https://a.example/v/eyJhbGciOiJIUzI1NiJ9.VALUE.c2ln/x"),
        ("PEM", "key -----BEGIN PRIVATE KEY-----\nVALUE\n-----END PRIVATE KEY----- end"),
        ("cut PEM", "-----BEGIN RSA PRIVATE KEY-----\nVALUE"),
        ("code", "https://a.example/cb?code=VALUE&state=1"),
        ("key in a path", "https://hooks.example/T0/B0/VALUEq7ZkP2mVb9Lx4Rt0/x"),
        ("digest", "Digest username=\"ida\", nonce=\"n\", response=\"VALUE\""),
    ]

    /// What is done to a text that holds a secret.
    private static let encodings: [(name: String, encode: @Sendable (String) -> String)] = [
        ("plain", { $0 }),
        ("within a JSON string", { "{\"body\":\(json($0)),\"n\":1}" }),
        ("within JSON within JSON", { "{\"log\":\(json("{\"body\":\(json($0))}"))}" }),
        ("within a percent-encoded URL", { "https://r.example/?next=\(percent($0))&page=2" }),
        ("within a URL encoded twice", { "https://r.example/?next=\(percent(percent($0)))&page=2" }),
    ]

    /// Every seventh of ``all``; each name, form and encoding is among them.
    package static let sample = stride(from: 0, to: all.count, by: 7).map { all[$0] }

    /// Every shape; each has a secret of its own.
    package static let all: [SecretShape] = {
        var shapes: [SecretShape] = []
        func add(_ text: String, _ description: String) {
            for encoding in encodings {
                // Running text in a URL is no shape that anything makes.
                if encoding.name.contains("URL"), text.contains(" ") || text.contains("\n") || text.contains("<") {
                    continue
                }
                let secret = "s3cr3t\(shapes.count)Hunter2"
                shapes.append(
                    SecretShape(
                        secret: secret,
                        text: encoding.encode(text.replacingOccurrences(of: "VALUE", with: secret)),
                        description: "\(description), \(encoding.name)"
                    )
                )
            }
        }
        for name in names {
            for form in forms { add(form.text.replacingOccurrences(of: "NAME", with: name), "\(name), \(form.name)") }
        }
        for form in nameless { add(form.text, form.name) }
        return shapes
    }()

    private static func json(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func percent(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            if scalar.properties.isAlphabetic || (0x30...0x39).contains(byte) || "-._~".utf8.contains(byte) {
                return String(scalar)
            }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
