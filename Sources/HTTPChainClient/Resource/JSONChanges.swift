import Foundation
package import HTTPChainCore

extension JSONValue {
    /// Returns this value after applying the changes from one value to another, which may each have only some of its
    /// members.
    ///
    /// Unchanged parts keep the form that they have in this value, even if the new value formats them differently.
    /// Arrays of the same length are merged element by element; others are replaced.
    package func overlaid(from old: JSONValue, to new: JSONValue) -> JSONValue {
        if old == new { return self }
        switch (self, old, new) {
        case (.object(var members), .object(let before), .object(let after)):
            for name in before.keys where after[name] == nil { members.removeValue(forKey: name) }
            for (name, value) in after {
                if let here = members[name], let old = before[name] {
                    members[name] = here.overlaid(from: old, to: value)
                } else if before[name] != value {
                    members[name] = value
                }
            }
            return .object(members)
        case (.array(let here), .array(let before), .array(let after))
        where here.count == before.count && before.count == after.count:
            return .array(here.indices.map { here[$0].overlaid(from: before[$0], to: after[$0]) })
        default: return new
        }
    }

    /// Returns the merge patch from this value to another, RFC 7396 §1.
    package func mergePatch(to target: JSONValue) -> JSONValue {
        guard case .object(let before) = self, case .object(let after) = target else { return target }
        var patch: [String: JSONValue] = [:]
        for name in before.keys where after[name] == nil { patch[name] = .null }
        for (name, value) in after where before[name] != value {
            patch[name] = before[name].map { $0.mergePatch(to: value) } ?? value
        }
        return .object(patch)
    }

    /// Returns the operations that change this value to another, RFC 6902 §4, with members sorted by name.
    package func jsonPatch(to target: JSONValue, at pointer: String = "") -> [JSONValue] {
        if self == target { return [] }
        guard case .object(let before) = self, case .object(let after) = target else {
            return [["op": "replace", "path": .string(pointer), "value": target]]
        }
        return Set(before.keys).union(after.keys).sorted().flatMap { name -> [JSONValue] in
            let path = "\(pointer)/\(Escaping.jsonPointerToken(name))"
            switch (before[name], after[name]) {
            case (let old?, let new?): return old.jsonPatch(to: new, at: path)
            case (nil, let new?): return [["op": "add", "path": .string(path), "value": new]]
            default: return [["op": "remove", "path": .string(path)]]
            }
        }
    }

    /// Encodes the value, with members sorted by name.
    func bytes() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
