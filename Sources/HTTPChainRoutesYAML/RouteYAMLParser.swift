#if YAML
import HTTPChainCore
import Foundation
import HTTPChainRoutes
import Yams

/// Reads YAML 1.2 and records the place of each value.
///
/// Follows the core schema (YAML 1.2.2 §10.3): `true` is a Boolean, but `yes` and `on` are strings.
///
/// It returns nil for a file that is too large, too deep, or not UTF-8.
struct RouteYAMLParser {
    /// The maximum number of values, with aliases expanded.
    static let maximumNodes = 200_000
    /// The maximum number of aliases, each of which may add a level.
    static let maximumAliases = 1000
    /// The maximum number of aliases in a file with keys that may not be text.
    ///
    /// It is lower, because Yams compares such keys by their whole content.
    static let maximumAliasesAsKeys = 32

    private(set) var mistakes: [RouteMistake] = []
    private var count = 0
    /// The path from the root to the current position: names of members and indexes of elements.
    private var steps: [String] = []
    /// The number of nested merge keys that lead to the current position.
    private var merges = 0

    /// Returns the value of the file, or nil if there is none to check further.
    mutating func parse(_ data: Data) -> RouteNode? {
        guard data.count <= RouteTable.maximumFileSize else {
            add("the file is larger than \(RouteTable.maximumFileSize >> 20) MiB")
            return nil
        }
        guard var text = String(data: data, encoding: .utf8) else {
            add("the file is not UTF-8")
            return nil
        }
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        let aliases = YAMLAliases(text)
        guard aliases.count <= Self.maximumAliases else {
            add("there are more than \(Self.maximumAliases) aliases")
            return nil
        }
        // A level of the tree is counted at most twice.
        guard YAMLShape(text).deepest <= 2 * RouteTable.maximumFileDepth else {
            add("values are nested deeper than \(RouteTable.maximumFileDepth) levels")
            return nil
        }
        guard aliases.count <= Self.maximumAliasesAsKeys || !aliases.mayBeKeys else {
            let text = "there are more than \(Self.maximumAliasesAsKeys) aliases, and keys that may not be text"
            add("\(text): write the keys out")
            return nil
        }
        do {
            guard let root = try Parser(yaml: text, resolver: .basic).singleRoot() else {
                add("the file is empty")
                return nil
            }
            let node = self.node(root)
            return count <= Self.maximumNodes ? node : nil
        } catch {
            tell(error)
            return nil
        }
    }

    private mutating func add(_ text: String, at place: RouteNode.Place = .init(line: 1, column: 1)) {
        mistakes.add(steps, place, text)
    }

    private mutating func tell(_ error: any Error) {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let before = context.map { " (\($0.text), line \($0.mark.line))" } ?? ""
            add("this is not YAML: \(problem)\(before)", at: place(mark))
        case .duplicatedKeysInMapping(let names, let context):
            for name in names { add("there are two members with the name \"\(name)\"", at: place(context.mark)) }
        case .reader(let problem, _, _, _): add("this is not YAML: \(problem)")
        default: add("this is not YAML: \(error)")
        }
    }

    private func place(_ mark: Mark?) -> RouteNode.Place {
        RouteNode.Place(line: max(1, mark?.line ?? 1), column: max(1, mark?.column ?? 1))
    }

    /// Counts a value that is read or merged; returns `false` if there are too many.
    private mutating func counts(_ node: Node) -> Bool {
        count += 1
        if count == Self.maximumNodes + 1 {
            let text = "there are more than \(Self.maximumNodes) values, with aliases expanded"
            add(text, at: place(node.mark))
        }
        return count <= Self.maximumNodes
    }

    /// Whether a place is within the limit of nested values and merges.
    private mutating func isShallow(at place: RouteNode.Place) -> Bool {
        guard steps.count + merges >= RouteTable.maximumFileDepth else { return true }
        add("values are nested deeper than \(RouteTable.maximumFileDepth) levels", at: place)
        return false
    }

    private mutating func node(_ node: Node) -> RouteNode? {
        guard counts(node) else { return nil }
        let place = place(node.mark)
        guard isShallow(at: place) else { return nil }
        switch node {
        case .scalar(let scalar): return RouteNode(Self.value(of: scalar), at: place)
        case .sequence(let items):
            var values: [RouteNode] = []
            for (index, item) in items.enumerated() {
                steps.append("\(index)")
                defer { steps.removeLast() }
                guard let value = self.node(item) else { return nil }
                values.append(value)
            }
            return RouteNode(.array(values), at: place)
        case .mapping(let mapping): return members(of: mapping).map { RouteNode(.object($0), at: place) }
        case .alias:
            add("this alias has no anchor", at: place)
            return nil
        }
    }

    private mutating func members(of mapping: Node.Mapping) -> [RouteNode.Member]? {
        var members: [RouteNode.Member] = []
        var merged: [RouteNode.Member] = []
        for (key, value) in mapping {
            let place = place(key.mark)
            guard case .scalar(let name) = key else {
                add("the name of a member must be text", at: place)
                continue
            }
            if name.style == .plain, name.string == "<<" {
                guard let more = self.merged(value, at: place) else { return nil }
                merged += more
                continue
            }
            steps.append(name.string)
            defer { steps.removeLast() }
            guard let node = node(value) else { return nil }
            members.append(RouteNode.Member(key: name.string, place: place, node: node))
        }
        // The mapping's own members take precedence over merged ones, and earlier merged members over later ones.
        var known = Set(members.map(\.key))
        return members + merged.filter { known.insert($0.key).inserted }
    }

    /// Returns the members of a merge key: those of one mapping, or of each mapping in a sequence.
    private mutating func merged(_ value: Node, at place: RouteNode.Place) -> [RouteNode.Member]? {
        guard counts(value) else { return nil }
        merges += 1
        defer { merges -= 1 }
        guard isShallow(at: place) else { return nil }
        switch value {
        case .mapping(let mapping): return members(of: mapping)
        case .sequence(let items):
            var members: [RouteNode.Member] = []
            for item in items {
                guard counts(item) else { return nil }
                guard case .mapping(let mapping) = item else {
                    add("\"<<\" merges only mappings", at: self.place(item.mark))
                    continue
                }
                guard let more = self.members(of: mapping) else { return nil }
                members += more
            }
            return members
        default:
            add("\"<<\" needs a mapping, or a sequence of mappings", at: place)
            return []
        }
    }

    /// Returns the value of a scalar by the core schema, YAML 1.2.2 §10.3.2.
    private static func value(of scalar: Node.Scalar) -> RouteNode.Value {
        let text = scalar.string
        guard scalar.style == .plain, scalar.tag.rawValue != Tag.Name.str.rawValue else { return .string(text) }
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default: return number(text).map(RouteNode.Value.number) ?? .string(text)
        }
    }

    private static func number(_ text: String) -> Double? {
        if let hexadecimal = text.without(prefix: "0x") { return digits(hexadecimal, radix: 16) }
        if let octal = text.without(prefix: "0o") { return digits(octal, radix: 8) }
        // Swift also parses hexadecimal fractions, "inf" and "nan", which are text here.
        guard text.utf8.allSatisfy({ isDigit($0) || numberSigns.contains($0) }), text.utf8.contains(where: isDigit)
        else {
            return nil
        }
        return Double(text.ends(with: ".") ? text + "0" : text)
    }

    private static let numberSigns = Set("+-.eE".utf8)

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func digits(_ text: Substring, radix: Int) -> Double? {
        guard text.utf8.first?.hexadecimalValue != nil else { return nil }
        return Int64(text, radix: radix).map(Double.init)
    }
}
#endif
