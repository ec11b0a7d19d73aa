#if AllTests
import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainSupport
import HTTPChainTesting
import TestSupport
import Testing

/// What a service does with patches, written from the standards for the tests alone.
enum Patches {
    struct Refused: Error {}

    /// RFC 7396 §2.
    static func merge(_ patch: JSONValue, into target: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members = target.object ?? [:]
        for (name, change) in changes {
            if change == .null {
                members.removeValue(forKey: name)
            } else {
                members[name] = merge(change, into: members[name] ?? .null)
            }
        }
        return .object(members)
    }

    /// RFC 6902 §4 for members of objects; an operation on what is not there is refused.
    static func apply(_ operations: [JSONValue], to target: JSONValue) throws -> JSONValue {
        try operations.reduce(target) { target, operation in
            guard let pointer = operation["path"]?.string, let name = operation["op"]?.string else { throw Refused() }
            let path = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
                .map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }
            return try change(target, at: path[...], name, operation["value"])
        }
    }

    private static func change(
        _ target: JSONValue,
        at path: ArraySlice<String>,
        _ operation: String,
        _ value: JSONValue?
    ) throws -> JSONValue {
        guard let name = path.first else {
            guard operation == "replace", let value else { throw Refused() }
            return value
        }
        guard case .object(var members) = target else { throw Refused() }
        if path.count > 1 {
            guard let inner = members[name] else { throw Refused() }
            members[name] = try change(inner, at: path.dropFirst(), operation, value)
            return .object(members)
        }
        guard (members[name] == nil) == (operation == "add"), (value == nil) == (operation == "remove") else {
            throw Refused()
        }
        members[name] = value
        return .object(members)
    }
}

@Suite("Patches of resources", .timeLimit(.minutes(10)))
struct PatchTests {
    /// The examples of RFC 7396, appendix A: original, patch, result.
    static let examples: [(String, String, String)] = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test("The patch that leads from the original to the result of each example of RFC 7396 does so")
    func examples() throws {
        func json(_ text: String) throws -> JSONValue {
            try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        }
        for (original, patch, result) in Self.examples {
            let (original, result) = (try json(original), try json(result))
            #expect(Patches.merge(try json(patch), into: original) == result)
            #expect(Patches.merge(original.mergePatch(to: result), into: original) == result)
        }
    }

    @Test("Random changes arrive as they were made, as a merge patch and as JSON Patch", .seeded)
    func random() throws {
        var numbers = Numbers(Seed.numbers())
        for _ in 0..<2_000 {
            let old = Self.object(&numbers, depth: 3)
            let new = Self.object(&numbers, depth: 3)
            #expect(Patches.merge(old.mergePatch(to: new), into: old) == new)
            #expect(try Patches.apply(old.jsonPatch(to: new), to: old) == new)
            #expect(old.overlaid(from: old, to: new) == new)
            // What nobody changed is kept, whatever it is.
            #expect(new.overlaid(from: old, to: old) == new)
            #expect(old.mergePatch(to: old) == [:] && old.jsonPatch(to: old).isEmpty)
        }
    }

    private static func object(_ numbers: inout some RandomNumberGenerator, depth: Int) -> JSONValue {
        let names = ["a", "b/c", "d~e", "", "f"].filter { _ in Bool.random(using: &numbers) }
        return .object(Dictionary(uniqueKeysWithValues: names.map { ($0, value(&numbers, depth: depth - 1)) }))
    }

    private static func value(_ numbers: inout some RandomNumberGenerator, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &numbers) {
        case 0: .integer(Int64.random(in: 0...2, using: &numbers))
        case 1: .string(["", "x", "y"].randomElement(using: &numbers) ?? "")
        case 2: .bool(Bool.random(using: &numbers))
        case 3: .array([.integer(Int64.random(in: 0...1, using: &numbers))])
        default: object(&numbers, depth: depth)
        }
    }
}
#endif
