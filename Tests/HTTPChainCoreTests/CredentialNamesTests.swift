import HTTPChainCore
import HTTPTypes
import Testing

/// The names under which gateways and services take credentials are secrets everywhere: shown, sent on, shared.
@Suite("Names of credentials")
struct CredentialNamesTests {
    /// Fields and query parameters, and where their vendors document them.
    private static let documented: [(source: String, fields: [String], parameters: [String])] = [
        (
            "AWS API Gateway: docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-api-key-source.html",
            ["x-api-key", "X-Amz-Security-Token"], ["X-Amz-Signature", "X-Amz-Credential"]
        ),
        (
            "Azure API Management: learn.microsoft.com/azure/api-management/api-management-subscriptions",
            ["Ocp-Apim-Subscription-Key"], ["subscription-key"]
        ),
        (
            "Azure Functions: learn.microsoft.com/azure/azure-functions/function-keys-how-to",
            ["x-functions-key"], ["code"]
        ),
        (
            "Azure Event Grid: learn.microsoft.com/azure/event-grid/authenticate-with-access-keys-shared-access-signatures",
            ["aeg-sas-key", "aeg-sas-token"], ["aeg-sas-key"]
        ),
        (
            "Azure Resource Manager: learn.microsoft.com/azure/azure-resource-manager/management/authenticate-multi-tenant",
            ["x-ms-authorization-auxiliary"], []
        ),
        (
            "Google API keys: docs.cloud.google.com/docs/authentication/api-keys-use",
            ["X-Goog-Api-Key"], ["key"]
        ),
        (
            "Google Cloud Run: docs.cloud.google.com/run/docs/authenticating/service-to-service",
            ["X-Serverless-Authorization"], []
        ),
        (
            "Google IAP: docs.cloud.google.com/iap/docs/signed-headers-howto",
            ["x-goog-iap-jwt-assertion"], []
        ),
        (
            "Apigee: docs.cloud.google.com/apigee/docs/api-platform/reference/policies/verify-api-key-policy",
            ["x-apikey"], ["apikey", "app_key", "consumer_key"]
        ),
        (
            "Cloudflare API: developers.cloudflare.com/fundamentals/api/get-started/keys",
            ["X-Auth-Key", "X-Auth-User-Service-Key"], []
        ),
        (
            "Cloudflare Access: developers.cloudflare.com/cloudflare-one/access-controls/service-credentials/service-tokens",
            ["CF-Access-Client-Id", "CF-Access-Client-Secret", "cf-access-token", "Cf-Access-Jwt-Assertion"], []
        ),
        ("Kong: developer.konghq.com/plugins/key-auth", ["apikey"], ["apikey"]),
        (
            "RapidAPI: docs.rapidapi.com/docs/additional-request-headers",
            ["X-RapidAPI-Key", "X-RapidAPI-Proxy-Secret"], []
        ),
        ("RapidAPI under its older name: dead-letter.email/docs/api", ["X-Mashape-Key"], []),
        (
            "Azure App Service: learn.microsoft.com/azure/app-service/configure-authentication-customize-sign-in-out",
            ["X-ZUMO-AUTH"], []
        ),
        (
            "Tableau: help.tableau.com/current/api/rest_api/en-us/REST/rest_api_concepts_auth.htm",
            ["X-Tableau-Auth"], []
        ),
        (
            "Azure App Service: learn.microsoft.com/azure/app-service/configure-authentication-user-identities",
            ["X-MS-CLIENT-PRINCIPAL"], []
        ),
        ("Honeycomb: api-docs.honeycomb.io/api/auth", ["X-Honeycomb-Team"], []),
        ("Appwrite: appwrite.io/docs/apis/rest", ["X-Appwrite-Key", "X-Appwrite-JWT"], []),
        (
            "New Relic: docs.newrelic.com/docs/logs/log-api/introduction-log-api",
            ["X-Insert-Key", "X-License-Key", "License-Key"], ["License-Key"]
        ),
        ("GitHub, with a password: developer.github.com/v3/auth", ["X-GitHub-OTP"], []),
        ("JSONBin: jsonbin.io/api-reference/access-keys/delete", ["X-Master-Key", "X-Access-Key"], []),
        ("Fastly: docs.fastly.com/documentation/reference/http/http-headers/Fastly-Key", ["Fastly-Key"], []),
        (
            "JFrog Artifactory: jfrog.com/help/r/jfrog-rest-apis/introduction-to-the-artifactory-rest-apis",
            ["X-JFrog-Art-Api"], []
        ),
        (
            "Firebase App Check: firebase.google.com/docs/app-check/web/custom-resource",
            ["X-Firebase-AppCheck"], []
        ),
        ("WS-Security, as Atom publishing has it: docs.oasis-open.org/wss (UsernameToken)", ["X-WSSE"], []),
        ("Pi-hole: docs.pi-hole.net/api/auth", ["X-FTL-SID"], ["sid"]),
        (
            "Habits without a vendor",
            [
                "X-Authorization", "X-Auth", "X-Auth-Token", "X-Key", "X-App-Key", "X-Application-Key", "X-Plant-Auth",
                "X-Plant-Key", "X-Authentication", "X-Credentials", "X-Plant-Credentials", "X-Session",
                "X-Plant-Session", "X-Otp", "X-Sid", "Authentication",
            ],
            ["master_key", "functions_key", "my-subscription-key"]
        ),
    ]

    @Test("Fields are redacted, count as credentials, and go to no other origin")
    func fields() throws {
        let other = try #require(Origin("https://other.example"))
        for (source, names, _) in Self.documented {
            for text in names {
                let name = try #require(HTTPField.Name(text))
                var request = Request.get("https://a.example/", headers: [name: "hunter2", .accept: "*/*"])
                #expect(Redaction.standard.isSecret(name), "\(text), \(source)")
                #expect(request.bringsCredentials, "\(text)")
                #expect(!"\(request)".contains("hunter2"), "\(text)")
                #expect(
                    !Redaction.standard.text("GET / HTTP/1.1\r\n\(text): hunter2\r\n").contains("hunter2"),
                    "\(text)"
                )
                request.removeCredentials(goingTo: other, redaction: request.redaction)
                #expect(request.headers.map(\.name) == [.accept], "\(text)")
                #expect(!request.bringsCredentials)
            }
        }
    }

    @Test("Parameters are redacted in URLs and forms")
    func parameters() {
        for (source, _, names) in Self.documented {
            for name in names {
                let url = "https://a.example/?\(name)=hunter2&page=2"
                #expect(Redaction.standard.url(url) == "https://a.example/?\(name)=<redacted>&page=2", "\(source)")
            }
        }
    }

    @Test("Values with spaces are redacted to the end of the line, whatever stands before Authorization")
    func authorizations() {
        for name in ["Authorization", "X-Authorization", "X-Serverless-Authorization", "X-Forwarded-Authorization"] {
            let text = Redaction.standard.text("\(name): Custom first second, third\nAccept: */*")
            #expect(text == "\(name): <redacted>\nAccept: */*")
        }
    }

    @Test("Callers with different keys are different owners, and a chain's own names count too")
    func owners() async throws {
        var redaction = Redaction.standard
        redaction.fieldNames.insert("x-plant-gate")
        for text in ["X-Api-Key", "X-Auth-Token", "X-Plant-Gate"] {
            let name = try #require(HTTPField.Name(text))
            var owners: [UserPartition.Owner] = []
            for key in ["ada", "ben"] {
                var request = Request.get("https://a.example/", headers: [name: key])
                request.environment = ChainEnvironment(redaction: redaction)
                owners.append(try await UserPartition.byCredentials.owner(of: request))
                #expect(try await UserPartition.none.owner(of: request) == .unknown)
            }
            #expect(owners[0] != owners[1] && !owners.contains(.unknown))
        }
        let plain = Request.get("https://a.example/", headers: [.accept: "*/*"])
        #expect(try await UserPartition.none.owner(of: plain) == .user(""))
    }

    @Test("A redaction that knows no names still takes the fields of the standards for credentials")
    func standards() throws {
        let redaction = Redaction(fieldNames: [], queryNames: [])
        var request = Request.get(
            "https://a.example/",
            headers: [.authorization: "a", .proxyAuthorization: "b", .cookie: "c=d", .accept: "*/*"]
        )
        request.removeCredentials(goingTo: Origin("https://other.example"), redaction: redaction)
        #expect(request.headers.map(\.name) == [.accept])
    }

    @Test(
        "Names beside them stay visible",
        arguments: [
            "X-Key-Name", "primary_key", "foreign-key", "X-Request-Id", "authorization_endpoint", "X-RapidAPI-Host",
            "X-Author", "keyboard", "map_key", "cf-ray", "subscription", "functions", "master",
            "X-Cache-Key", "X_CACHE_KEY", "Surrogate-Key", "X-Surrogate-Key", "Idempotency-Key", "X-Idempotency-Key",
            "Sec-WebSocket-Key", "X-Sort-Key", "X-Partition-Key", "X-Routing-Key", "X-Encryption-Key-Name",
            "x-goog-encryption-key-sha256", "WWW-Authenticate", "Proxy-Authenticate",
            "Access-Control-Allow-Credentials", "xAxisKey", "xOauth", "X-OAuth-Scopes", "X-Authenticated-User",
            "X-Session-Count",
        ]
    )
    func others(name: String) throws {
        #expect(!Redaction.standard.isSecret(try #require(HTTPField.Name(name))))
        #expect(Redaction.standard.text("\(name): visible") == "\(name): visible")
    }
}
