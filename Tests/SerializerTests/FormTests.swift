#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import HTTPTypes
import TestSupport
import Testing

private struct Address: Codable, Sendable, Hashable {
    var street: String
    var lines: [String] = []
}

private struct Form: Codable, Sendable, Hashable {
    var name: String
    var age: Int?
    var isGuest = false
    var tags: [String] = []
    var home: Address?
    var others: [Address] = []
    var when: Date?
    var price: Decimal?
    var site: URL?
    var blob: Data?
    var meta: [String: Double] = [:]
}

private let full = Form(
    name: "Ida & Æ +1",
    age: 7,
    isGuest: true,
    tags: ["a", "b c"],
    home: Address(street: "x=y", lines: ["1", "2"]),
    others: [Address(street: "p", lines: ["q"]), Address(street: "r")],
    when: Date(timeIntervalSince1970: 10),
    price: Decimal(string: "12.50"),
    site: URL(string: "https://a.example/?b=c"),
    blob: Data([0, 255]),
    meta: ["ratio": 1.5]
)

@Suite("Forms")
struct FormTests {
    @Test(
        "A text that only begins with a number, and one that is none, is no number",
        arguments: ["12,50", "12abc", "1.2.3", "nan", "inf", "0x1p3", "1e999", ""]
    )
    func noNumber(text: String) {
        struct Decimals: Decodable { let n: Decimal }
        struct Doubles: Decodable { let n: Double }
        let form = Data("n=\(text)".utf8)
        #expect(throws: (any Error).self) { try FormSerializer().decode(Decimals.self, from: form, contentType: nil) }
        #expect(throws: (any Error).self) { try FormSerializer().decode(Doubles.self, from: form, contentType: nil) }
    }

    @Test(
        "Every style is read back as the value that was written",
        arguments: [ParameterEncoder.Nesting.brackets, .dots],
        [ParameterEncoder.Arrays.brackets, .repeated, .indexed, .commas, .pipes]
    )
    func roundTrip(_ nesting: ParameterEncoder.Nesting, _ arrays: ParameterEncoder.Arrays) throws {
        let form = FormSerializer(
            ParameterEncoder(
                arrays: arrays,
                keys: .snakeCase,
                nesting: nesting,
                booleans: .digits,
                dates: .secondsSince1970
            )
        )
        let data = try form.encode(full, contentType: form.contentType)
        var expected = full
        // An empty array leaves no trace in a form.
        expected.others[1].lines = []
        let decoded = try form.decode(LenientForm.self, from: data, contentType: nil)
        #expect(decoded.form == expected)
    }

    /// Reads what a form leaves out.
    private struct LenientForm: Decodable {
        let form: Form

        private struct LenientAddress: Decodable {
            let street: String
            let lines: [String]?
            var address: Address { Address(street: street, lines: lines ?? []) }
        }

        private enum Key: String, CodingKey {
            case name, age, isGuest, tags, home, others, when, price, site, blob, meta
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            form = Form(
                name: try fields.decode(String.self, forKey: .name),
                age: try fields.decodeIfPresent(Int.self, forKey: .age),
                isGuest: try fields.decode(Bool.self, forKey: .isGuest),
                tags: try fields.decode([String].self, forKey: .tags),
                home: try fields.decode(LenientAddress.self, forKey: .home).address,
                others: try fields.decode([LenientAddress].self, forKey: .others).map(\.address),
                when: try fields.decodeIfPresent(Date.self, forKey: .when),
                price: try fields.decodeIfPresent(Decimal.self, forKey: .price),
                site: try fields.decodeIfPresent(URL.self, forKey: .site),
                blob: try fields.decodeIfPresent(Data.self, forKey: .blob),
                meta: try fields.decode([String: Double].self, forKey: .meta)
            )
        }
    }

    private struct Small: Codable, Sendable {
        var name = "a b"
        var on = true
        var tags = ["x", "y"]
        var at = ["k": ["v*~"]]
        var none: Int?
    }

    @Test(
        "Names and texts are written as the style says and escaped as the WHATWG does",
        arguments: [
            (BuiltInSerializer.form, "name=a+b&on=true&tags=x&tags=y&at%5Bk%5D=v*%7E"),
            (
                .form(ParameterEncoder(arrays: .brackets)),
                "name=a+b&on=true&tags%5B%5D=x&tags%5B%5D=y&at%5Bk%5D%5B%5D=v*%7E"
            ),
            (
                .form(ParameterEncoder(arrays: .repeated, nesting: .dots, booleans: .digits)),
                "name=a+b&on=1&tags=x&tags=y&at.k=v*%7E"
            ),
            (
                .form(ParameterEncoder(arrays: .indexed)),
                "name=a+b&on=true&tags%5B0%5D=x&tags%5B1%5D=y&at%5Bk%5D%5B0%5D=v*%7E"
            ),
            (.form(ParameterEncoder(arrays: .commas)), "name=a+b&on=true&tags=x,y&at%5Bk%5D=v*%7E"),
        ]
    )
    func writes(_ form: BuiltInSerializer, _ expected: String) async throws {
        let request = try await sent(.post(url, body: .value(Small())), through: SerializerMiddleware(form))
        #expect(try await request.body.text() == expected)
        #expect(request.head.headerFields[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test("Null for nil is an empty text, which an optional reads as nil")
    func nulls() async throws {
        let request = Request.post(url, body: .value(Small())).encoding(nilAsNull: true)
        #expect(try await sentText(request, through: SerializerMiddleware(.form)).hasSuffix("&none="))
        let plant = try await chain(SerializerMiddleware(.form), nil, "name=Fern&heightInCM=").send(
            .get(url),
            as: Plant.self
        )
        #expect(plant == Plant(name: "Fern"))
    }

    @Test(
        "Forms of other writers are read",
        arguments: [
            ("a[][x]=1&a[][y]=2&a[][x]=3", "1,2|3,-"), ("a[1][x]=3&a[0][x]=1&a[0][y]=2", "1,2|3,-"),
            ("a%5B0%5D%5Bx%5D=1&a%5B0%5D%5By%5D=%32&a[1][x]=3&&", "1,2|3,-"), ("a[0][x]=%zz%", "%zz%,-"),
        ]
    )
    func reads(_ text: String, _ expected: String) throws {
        struct Item: Decodable {
            let x: String
            let y: String?
        }
        let items = try FormSerializer().decode([String: [Item]].self, from: Data(text.utf8), contentType: nil)["a"]
        #expect(items?.map { "\($0.x),\($0.y ?? "-")" }.joined(separator: "|") == expected)
    }

    @Test("Names that nest are read in the style's way, delimiters looked for byte by byte")
    func names() throws {
        for (name, nesting, expected) in [
            ("a[b][]", ParameterEncoder.Nesting.brackets, ["a", "b", ""]), ("a.b", .brackets, ["a.b"]),
            ("a[0].b", .dots, ["a", "0", "b"]), ("a.0.b[]", .dots, ["a", "0", "b", ""]), ("a..b", .dots, ["a..b"]),
            ("a[b]c", .brackets, ["a[b]c"]), ("a[b", .brackets, ["a[b"]), ("[a]", .brackets, ["[a]"]),
            ("a[[b]]", .brackets, ["a[[b]]"]), ("a[\u{301}b]", .brackets, ["a", "\u{301}b"]), ("", .dots, [""]),
            ("a]", .brackets, ["a]"]), ("a[b].c", .brackets, ["a[b].c"]),
        ] {
            #expect(try FormText.path(of: name, nesting: nesting) == expected, "\(name)")
        }
    }

    @Test("A number that is not finite is an error that names the parameter, as in a query")
    func notFinite() throws {
        let error = try #require(throws: EncodingError.self) {
            try FormSerializer().encode(["a": ["b": Double.nan]], contentType: "")
        }
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["a[b]"])
    }

    @Test("Explicit nulls are written, other nils left out")
    func explicitNulls() throws {
        struct Patch: Encodable {
            @NullWhenNil var nickname: String?
            var motto: String?
        }
        #expect(try FormSerializer().encode(Patch(), contentType: "") == Data("nickname=".utf8))
    }

    @Test("A value that does not fit is an error with its coding path; names that nest without end are refused")
    func failures() async throws {
        let stage = SerializerMiddleware(.form)
        let error = try await #require(throws: DecodingFailure.self) {
            try await chain(stage, nil, "name=Fern&heightInCM=tall").send(.get(url), as: Plant.self)
        }
        #expect(error.codingPath == "heightInCM")
        let missing = try await #require(throws: DecodingFailure.self) {
            try await chain(stage, nil, "heightInCM=1").send(.get(url), as: Plant.self)
        }
        #expect(missing.codingPath == "name")
        let deep = "a" + String(repeating: "[x]", count: 100_000) + "=1"
        #expect(throws: DecodingError.self) {
            try FormSerializer().decode([String: String].self, from: Data(deep.utf8), contentType: nil)
        }
    }

    @Test("Random forms neither trap nor take long", .seeded, .timeLimit(.minutes(10)))
    func random() {
        var numbers = Numbers(Seed.numbers())
        let pieces = ["a", "[", "]", "[]", "[0]", "=", "&", "%", "%5B", "+", "1", ".", "é", "others", "tags", "home"]
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 0..<30, using: &numbers)).map { _ in
                pieces.randomElement(using: &numbers) ?? ""
            }.joined()
            for nesting in [ParameterEncoder.Nesting.brackets, .dots] {
                _ = try? FormSerializer(ParameterEncoder(nesting: nesting)).decode(
                    Form.self,
                    from: Data(text.utf8),
                    contentType: nil
                )
            }
        }
        let many = String(repeating: "tags[]=1&tags=2&x[1]=3&", count: 20_000)
        let tags = try? FormSerializer().decode([String: [Int]].self, from: Data(many.utf8), contentType: nil)
        #expect(tags?["tags"]?.count == 20_000)
    }

    @Test("What has no keys at its top level is no form", arguments: [0, 1])
    func notAForm(_ index: Int) async throws {
        let bodies: [HTTPBody] = [.value([1, 2]), .value("word")]
        let error = try await #require(throws: SerializerError.self) {
            try await sent(.post(url, body: bodies[index]), through: SerializerMiddleware(.form))
        }
        #expect(error.reason.contains("cannot be written as form"))
        #expect(error.reason.contains("keys at its top level"))
    }

    @Test("A form becomes the query of GET, HEAD and DELETE", arguments: [HTTPRequest.Method.get, .head, .delete])
    func query(_ method: HTTPRequest.Method) async throws {
        for (target, expected) in [
            ("https://a.example/plants", "https://a.example/plants?name=a%20b&heightInCM=3"),
            ("https://a.example/plants?x=1", "https://a.example/plants?x=1&name=a%20b&heightInCM=3"),
            ("plants?", "plants?name=a%20b&heightInCM=3"),
            ("plants/{id}{?page}", "plants/{id}?name=a%20b&heightInCM=3{&page}"),
        ] {
            let request = Request(
                method,
                target,
                headers: [.contentType: "application/x-www-form-urlencoded"],
                body: .value(Plant(name: "a b", heightInCM: 3))
            )
            let result = try await sent(request, through: SerializerMiddleware(.json, .form))
            #expect(result.url == expected)
            #expect(result.body.isEmpty)
            #expect(result.head.headerFields[.contentType] == nil)
        }
        let post = try await sent(
            .post("plants", body: .value(Plant(name: "a"))).encoding(by: .form),
            through: SerializerMiddleware(.json)
        )
        #expect(post.url == "plants")
        #expect(try await post.body.text() == "name=a")
    }
}
#endif
