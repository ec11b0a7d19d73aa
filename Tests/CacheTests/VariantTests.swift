#if AllTests
import HTTPChainCache
import HTTPChainCore
import HTTPTypes
import Testing

@Suite("The variant that a response is, RFC 9111 §4.1")
struct VariantTests {
    @Test(
        "A request field that Vary names is normalised, and no further than it may be",
        arguments: [
            ("Foo: a,b", "a,b"), ("Foo: A , b,,", "A,b"), ("Foo: \"a, b\" , c", "\"a, b\",c"), ("Foo:", ""),
            ("Foo: a;q=1", "a;q=1"), ("Accept: B, a", "b,a"), ("Accept: a;q=0.5, B", "a;q=500,b"),
            ("Accept: b;q=0.5, a", "a,b;q=500"), ("Accept: c, b;q=0.5, a;q=0.5", "c,b;q=500,a;q=500"),
            ("Accept: a ;\tq=0.5", "a;q=500"),
            ("Accept: a;q=0.55", "a;q=550"), ("Accept: a;q=0.555", "a;q=555"), ("Accept: a;q=0", "a;q=0"),
            ("Accept: a;q=0.", "a;q=0"), ("Accept: a;Q=1.000", "a"), ("Accept: a;q=1", "a"),
            ("Accept: a;v=1", "a;v=1"), ("Accept: a;;b", "a;;b"), ("Accept: a;q=1.001", "a;q=1.001"),
            ("Accept: a;q=0x5", "a;q=0x5"), ("Accept: a;q=1000", "a;q=1000"), ("Accept: a;q=0.5x", "a;q=0.5x"),
            ("Accept: a;q=0.:", "a;q=0.:"), ("Accept: a;q=0./", "a;q=0./"), ("Accept: a;q=0.5555", "a;q=0.5555"),
            ("Accept: a;q=.5", "a;q=.5"), ("Accept: a;q=2", "a;q=2"), ("Accept: a;q=", "a;q="),
            ("Accept-Charset: B, a", "b,a"), ("Accept-Encoding: gzip;q=1, br", "gzip,br"),
            ("Accept: A/B;Charset=\"X; Y, z\" ; q=0.5, c", "a/b;charset=\"X; Y, z\";q=500,c"),
            ("Foo: \"a\\\", b\" , c", "\"a\\\", b\",c"), ("Accept-Language: en, en;q=x", "en,en;q=x"),
            ("Accept-Language: De, en;q=0.8", "de,en;q=800"),
        ]
    )
    func normalised(line: String, expected: String) throws {
        let name = String(line.prefix { $0 != ":" })
        let variant = try #require(CacheVariant(of: fields(["Vary: \(name)"]), to: fields([line])))
        #expect(variant.fields == [CacheVariant.Field(name: name.lowercased(), value: expected)])
        #expect(variant.matches(fields([line])))
        #expect(!variant.matches([:]))
    }

    @Test(
        "Among members with the same weight the order is significant; the case of names and white space are not",
        arguments: [
            ("en, de", "de, en", false), ("en, de", "EN ,de", true),
            ("en;q=0.5, de;q=0.5", "de;q=0.5, en;q=0.5", false),
            ("en;q=0.5, de", "de, en;q=0.5", true), ("en, de;q=0.5, fr;q=0.5", "en, fr;q=0.5, de;q=0.5", false),
            ("en, de;q=1.0", "de;q=1, en", false), ("a/b;p=X", "a/b;p=x", false), ("a/b;P=x", "A/b;p=x", true),
            ("a/b;p=\"x  y\"", "a/b;p=\"x y\"", false), ("en", "en, en", false),
        ]
    )
    func order(first: String, second: String, isSame: Bool) {
        for name in ["Accept-Language", "Accept", "Accept-Charset", "Accept-Encoding"] {
            let variant = CacheVariant(of: fields(["Vary: \(name)"]), to: fields(["\(name): \(first)"]))
            #expect(variant?.matches(fields(["\(name): \(second)"])) == isSame, "\(name)")
        }
    }

    @Test("A variant shows its fields, and none where the request had no such field")
    func shown() {
        let variant = CacheVariant([
            CacheVariant.Field(name: "authorization", value: "Bearer hunter2"),
            CacheVariant.Field(name: "foo", value: nil),
        ])
        #expect(variant.description == "authorization: <redacted>, foo: none")
        #expect(String(reflecting: variant) == variant.description)
        #expect(variant.fields.map { String(reflecting: $0) } == ["authorization: <redacted>", "foo: none"])
        var dumped = ""
        dump(variant, to: &dumped)
        dump(storeMetadata("Bearer hunter2"), to: &dumped)
        #expect(dumped.contains("authorization: <redacted>") && !dumped.contains("hunter2"))
    }

    @Test("Vary may name 100 fields, and no more")
    func limit() {
        func variant(_ count: Int) -> CacheVariant? {
            CacheVariant(of: fields((0..<count).map { "Vary: Field-\($0), field-\($0)" }), to: [:])
        }
        #expect(variant(100)?.fields.count == 100)
        #expect(variant(101) == nil)
    }

    @Test(
        "A response in the one language that is wanted most answers, and no other",
        arguments: [
            ("en, de;q=0.5", "EN", true), ("en, de;q=0.5", "de", false), ("en, de", "en", false),
            ("de;q=0.5", "de", true),
            ("en;q=0, de;q=0", "de", false), ("en;q=0.2, de;q=0.3, fr;q=0.1", "de", true), ("en;q=0", "en", false),
            ("en;q=x", "en", false), ("en;q=0.001", "en", true), ("en, de", "de", false), ("", "", false),
            ("en", "", false), ("en", nil, false),
        ]
    )
    func language(wanted: String, language: String?, isMatch: Bool) throws {
        let stored = fields(["Accept-Language: fr", "Foo: 1"])
        let variant = try #require(CacheVariant(of: fields(["Vary: Accept-Language, Foo"]), to: stored))
        #expect(variant.matches(fields(["Accept-Language: \(wanted)", "Foo: 1"]), inLanguage: language) == isMatch)
        #expect(!variant.matches(fields(["Accept-Language: \(wanted)", "Foo: 2"]), inLanguage: language))
        let plain = try #require(CacheVariant(of: fields(["Vary: Foo"]), to: stored))
        #expect(!plain.matches(fields(["Accept-Language: \(wanted)", "Foo: 1"]), inLanguage: language))
    }
}
#endif
