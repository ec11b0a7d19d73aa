#if AllTests && Tracing
import HTTPChainCore
import HTTPChainTesting
import HTTPChainTracing
import HTTPTypes
import InMemoryTracing
import Instrumentation
import TestSupport
import Testing

private let trace = "12345678901234567890123456789012"
private let valid = "00-\(trace)-1234567890123456-01"

@Suite("W3C Trace Context", .timeLimit(.minutes(10)))
struct TraceContextTests {
    /// What the W3C's test suite sends as `traceparent`, by its cases, and whether the trace goes on.
    static let parents: [(name: String, value: String, isValid: Bool)] = [
        ("valid", valid, true), ("not sampled", "00-\(trace)-1234567890123456-00", true),
        ("two of them", "00-12345678901234567890123456789011-1234567890123456-01,\(valid)", false),
        ("version 00, trailing dot", valid + ".", false), ("version 00, more", valid + "-what-the-future", false),
        ("version cc", "cc-\(trace)-1234567890123456-01", true),
        ("version cc, more", "cc-\(trace)-1234567890123456-01-what-the-future-will-be-like", true),
        ("version cc, more without a hyphen", "cc-\(trace)-1234567890123456-01.what-the-future", false),
        ("version ff", "ff-\(trace)-1234567890123456-01", false),
        ("version .0", ".0-\(trace)-1234567890123456-01", false),
        ("version 0.", "0.-\(trace)-1234567890123456-01", false),
        ("version too long", "000-\(trace)-1234567890123456-01", false),
        ("version much too long", "0000-\(trace)-1234567890123456-01", false),
        ("version too short", "0-\(trace)-1234567890123456-01", false),
        ("trace id zero", "00-00000000000000000000000000000000-1234567890123456-01", false),
        ("trace id with a dot first", "00-.2345678901234567890123456789012-1234567890123456-01", false),
        ("trace id with a dot last", "00-1234567890123456789012345678901.-1234567890123456-01", false),
        ("trace id too long", "00-\(trace)3-1234567890123456-01", false),
        ("trace id too short", "00-1234567890123456789012345678901-1234567890123456-01", false),
        ("trace id in capitals", "00-ABCDEF78901234567890123456789012-1234567890123456-01", false),
        ("parent id zero", "00-\(trace)-0000000000000000-01", false),
        ("parent id with a dot first", "00-\(trace)-.234567890123456-01", false),
        ("parent id with a dot last", "00-\(trace)-123456789012345.-01", false),
        ("parent id too long", "00-\(trace)-12345678901234567-01", false),
        ("parent id too short", "00-\(trace)-123456789012345-01", false),
        ("flags with a dot first", "00-\(trace)-1234567890123456-.0", false),
        ("flags with a dot last", "00-\(trace)-1234567890123456-0.", false),
        ("flags too long", "00-\(trace)-1234567890123456-001", false),
        ("flags too short", "00-\(trace)-1234567890123456-1", false),
        ("space before", " " + valid, true), ("tab before", "\t" + valid, true), ("space after", valid + " ", true),
        ("tab after", valid + "\t", true), ("space around", "\t " + valid + " \t", true), ("empty", "", false),
    ]

    @Test("traceparent is read as the W3C's cases want", arguments: 0..<parents.count)
    func parent(index: Int) {
        let (name, value, isValid) = Self.parents[index]
        let context = TraceContext(traceparent: value)
        #expect((context != nil) == isValid, "\(name)")
        if isValid { #expect(context?.traceID == trace, "\(name)") }
    }

    @Test("What is written is version 00; of the flags, sampled and random stay (Level 2)")
    func writing() {
        #expect(TraceContext(traceparent: valid)?.traceparent == valid)
        #expect(
            TraceContext(traceparent: "cc-\(trace)-1234567890123456-ff-more")?.traceparent
                == "00-\(trace)-1234567890123456-03"
        )
        #expect(TraceContext(traceparent: "00-\(trace)-1234567890123456-02")?.isSampled == false)
        #expect(TraceContext(traceparent: valid)?.isSampled == true)
        #expect(TraceContext(traceparent: valid)?.spanID == "1234567890123456")
        #expect(TraceContext(traceIDHigh: 0, traceIDLow: 1, parentID: 0) == nil)
        #expect(TraceContext(traceIDHigh: 0, traceIDLow: 0, parentID: 1) == nil)
        #expect(
            TraceContext(traceIDHigh: 0, traceIDLow: 1, parentID: 10)?.traceparent
                == "00-00000000000000000000000000000001-000000000000000a-00"
        )
    }

    private static let letters = "abcdefghijklmnopqrstuvwxyz0123456789_-*/"
    private static let characters = String(
        decoding: (UInt8(0x20)...0x7E).filter { $0 != 0x2C && $0 != 0x3D },
        as: UTF8.self
    )

    /// What the W3C's test suite sends as `tracestate`, and what of it goes on; nil for nothing.
    static let states: [(name: String, value: String, result: String?)] = [
        ("two", "foo=1,bar=2", "foo=1,bar=2"),
        ("several fields", "foo=1,bar=2,rojo=1,congo=2,baz=3", "foo=1,bar=2,rojo=1,congo=2,baz=3"),
        ("empty", "", ""), ("empty after", "foo=1,", "foo=1"), ("empty before", ",foo=1", "foo=1"),
        ("twice", "foo=1,foo=1", "foo=1"), ("twice, differing", "foo=1,foo=2", "foo=1"),
        ("all characters", "\(letters)=\(characters)", "\(letters)=\(characters)"),
        ("all characters of a system", "\(letters)@a-z0-9_-*/=\(characters)", "\(letters)@a-z0-9_-*/=\(characters)"),
        ("space around commas", "foo=1 \t , \t bar=2, \t baz=3", "foo=1,bar=2,baz=3"),
        ("more space", "foo=1\t \t,\t \tbar=2,\t \tbaz=3", "foo=1,bar=2,baz=3"), ("space before", " foo=1", "foo=1"),
        ("tab before", "\tfoo=1", "foo=1"), ("space after", "foo=1 ", "foo=1"), ("tab after", "foo=1\t", "foo=1"),
        ("space around", "\t foo=1 \t", "foo=1"), ("key with a space", "foo =1", nil),
        ("key in capitals", "FOO=1", nil),
        ("key with a dot", "foo.bar=1", nil), ("key ends with @", "foo@=1,bar=2", "foo@=1,bar=2"),
        ("key begins with @", "@foo=1,bar=2", nil), ("two @", "foo@@bar=1,bar=2", "foo@@bar=1,bar=2"),
        ("two systems", "foo@bar@baz=1,bar=2", "foo@bar@baz=1,bar=2"),
        ("32 members", members(32), members(32)), ("33 members", members(33), nil),
        ("long key", "foo=1,\(z(256))=1", "foo=1,\(z(256))=1"), ("key too long", "foo=1,\(z(257))=1", nil),
        ("long key with @", "foo=1,\(z(241))@\(z(14))=1", "foo=1,\(z(241))@\(z(14))=1"),
        ("value too long", "foo=\(z(257))", nil), ("long value", "foo=\(z(256))", "foo=\(z(256))"),
        ("two equals signs", "foo=bar=baz", nil), ("empty value", "foo=,bar=3", nil), ("no value", "foo", nil),
        ("not ASCII", "foo=é", nil), ("longer than any", String(repeating: " ", count: 20_001), nil),
    ]

    private static func members(_ count: Int) -> String {
        (1...count).map { "bar\($0)=\($0)" }.joined(separator: ",")
    }

    private static func z(_ count: Int) -> String { String(repeating: "z", count: count) }

    @Test("tracestate is read as the W3C's cases want", arguments: 0..<states.count)
    func state(index: Int) {
        let (name, value, result) = Self.states[index]
        #expect(TraceState(value)?.description == result, "\(name)")
        #expect(TraceContext(traceparent: valid, tracestate: value)?.tracestate == (result == "" ? nil : result))
    }

    @Test("Ids are written in lower-case hexadecimal digits, all of them", .seeded)
    func digits() {
        let random = Seed.numbers()
        for number in [1, 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, .max, 0x9A9A_9A9A_A9A9_A9A9]
            + (0..<1000).map({ _ in max(1, random.next() >> UInt64(random.index(below: 64))) })
        {
            let plain = String(number, radix: 16)
            let digits = String(repeating: "0", count: 16 - plain.count) + plain
            let context = TraceContext(traceIDHigh: number, traceIDLow: ~number, parentID: number)
            #expect(context?.spanID == digits && context?.traceID.prefix(16) == digits[...])
            #expect(context?.traceparent == "00-\(context?.traceID ?? "")-\(digits)-00")
        }
    }

    @Test("Whatever is read is written so that it is read the same, and holds the limits", .seeded)
    func roundTrips() {
        let random = Seed.numbers()
        let alphabet = Array("0123456789abcdefF-=,;@_* \t.%\"é\u{0}".unicodeScalars)
        for _ in 0..<20_000 {
            var text = ["", valid, "foo=1,bar=2", "00-", "a=%C3%A9;p=1,b=2"][random.index(below: 5)]
            for _ in 0..<random.index(below: 6) {
                let scalar = String(alphabet[random.index(below: alphabet.count)])
                let place = text.index(text.startIndex, offsetBy: random.index(below: text.count + 1))
                if random.index(below: 3) == 0, place < text.endIndex {
                    text.remove(at: place)
                } else {
                    text.insert(contentsOf: scalar, at: place)
                }
            }
            if let context = TraceContext(traceparent: text) {
                #expect(context.traceparent.utf8.count == 55)
                #expect(TraceContext(traceparent: context.traceparent) == context, "\(text)")
            }
            if let state = TraceState(text) {
                #expect(state.members.count <= 32)
                #expect(TraceState(state.description) == state, "\(text)")
            }
            let baggage = Baggage(text)
            #expect(baggage.entries.count <= 64 && baggage.description.utf8.count <= 8192)
            #expect(Baggage(baggage.description) == baggage, "\(text)")
        }
    }

    static let baggages: [(text: String, entries: [String: String], written: String)] = [
        ("a=1,b=2", ["a": "1", "b": "2"], "a=1,b=2"),
        (" a = 1 ; p=x ; q , b=2 ", ["a": "1", "b": "2"], "a=1;p=x ; q,b=2"),
        ("a=%C3%A9%20x", ["a": "é x"], "a=%C3%A9%20x"), ("a=100%", ["a": "100%"], "a=100%25"),
        ("a=%FF,b=2", ["b": "2"], "b=2"), ("a b=1,=2,c,d=3", ["d": "3"], "d=3"), ("a=1,a=2", ["a": "2"], "a=2"),
        ("a=x y,b=\"q\",c=3", ["c": "3"], "c=3"), ("a=", ["a": ""], "a="), ("", [:], ""),
    ]

    @Test("Baggage is read leniently, entry by entry, and written strictly", arguments: 0..<baggages.count)
    func baggage(index: Int) {
        let (text, entries, written) = Self.baggages[index]
        let baggage = Baggage(text)
        #expect(Dictionary(uniqueKeysWithValues: baggage.entries.map { ($0.name, $0.value) }) == entries, "\(text)")
        #expect(baggage.description == written)
    }

    @Test("Baggage has no more than 64 entries, and 8192 bytes")
    func baggageLimits() throws {
        let many = Baggage((0..<100).map { "k\($0)=1" }.joined(separator: ","))
        #expect(many.entries.count == 64)
        let cut = Baggage("a=" + String(repeating: "x", count: 8180) + ",tenant=12345678,b=1")
        #expect(cut.entries.map(\.name) == ["a"])
        let whole = Baggage("a=" + String(repeating: "x", count: 8180) + ",tenant=12")
        #expect(whole["tenant"] == "12" && whole.description.utf8.count == 8192)
        #expect(Baggage(String(repeating: "x", count: 9000)).entries.isEmpty)
        var large = Baggage()
        let value = String(repeating: "x", count: 4000)
        for name in ["a", "b", "c"] { large.set(try #require(Baggage.Entry(name: name, value: value))) }
        #expect(large.entries.map(\.name) == ["a", "b"])
        #expect(Baggage.Entry(name: "a b", value: "") == nil)
    }

    @Test("A value of baggage is set, replaced and removed by its name")
    func baggageValues() {
        var baggage = Baggage("tenant=garden")
        baggage["user"] = "7"
        baggage["tenant"] = "shop"
        #expect(baggage["user"] == "7" && baggage.description == "tenant=shop,user=7")
        baggage["user"] = nil
        baggage["not a token"] = "1"
        #expect(baggage.description == "tenant=shop" && baggage["user"] == nil)
    }
}
#endif
