import HTTPChainSupport

/// The parameters of a part's `Content-Disposition`.
struct ParameterizedPart {
    let name: String?
    let fileName: String?

    init(_ value: String) {
        let parsed = ParameterizedValue(value.utf8)
        name = parsed.parameter("name").map { String(decoding: $0, as: UTF8.self) }
        fileName = parsed.parameter("filename").map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Compares named values.
///
/// The order of names doesn't matter, but that of values with the same name does.
enum NamedValues {
    static func differences(
        _ sent: [URLParts.Parameter],
        _ recorded: [URLParts.Parameter],
        of kind: String,
        ignoring ignored: Set<String> = []
    ) -> [String] {
        let sentValues = grouped(sent, ignoring: ignored)
        let recordedValues = grouped(recorded, ignoring: ignored)
        let names = Set(sentValues.keys).union(recordedValues.keys).sorted { $0.text < $1.text }
        return names.compactMap { exact in
            let name = exact.text
            let now = sentValues[exact]
            let then = recordedValues[exact]
            guard let now else { return "\(kind) \"\(name)\" is missing; recorded is \(shown(then ?? []))" }
            if let then, now.elementsEqual(then, by: { $0.hasSameBytes(as: $1) }) { return nil }
            guard let then else { return "\(kind) \"\(name)\" is \(shown(now)); none is recorded" }
            return "\(kind) \"\(name)\" is \(shown(now)); recorded is \(shown(then))"
        }
    }

    private static func grouped(
        _ values: [URLParts.Parameter],
        ignoring ignored: Set<String>
    ) -> [ExactText: [String?]] {
        Dictionary(grouping: values.filter { !ignored.contains($0.name) }) { ExactText($0.name) }
            .mapValues { $0.map(\.value) }
    }

    private static func shown(_ values: [String?]) -> String {
        values.map { TextDifference.quoted($0 ?? "") }.joined(separator: ", ")
    }
}

/// Finds the differences between two JSON values, by the path of the member.
enum JSONDifference {
    private static let limit = 8

    static func list(_ sent: JSONTree, _ recorded: JSONTree) -> [String] {
        var differences: [String] = []
        collect(sent, recorded, at: "$", into: &differences)
        if differences.count <= limit { return differences }
        return differences.prefix(limit) + ["and \(differences.count - limit) more"]
    }

    private static func collect(_ sent: JSONTree, _ recorded: JSONTree, at path: String, into list: inout [String]) {
        if sent == recorded { return }
        switch (sent, recorded) {
        case (.object(let now), .object(let then)):
            let nowByName = Dictionary(now.map { (ExactText($0.name), $0.value) }) { _, last in last }
            let thenByName = Dictionary(then.map { (ExactText($0.name), $0.value) }) { _, last in last }
            for name in Set(nowByName.keys).union(thenByName.keys).sorted(by: { $0.text < $1.text }) {
                let place = "\(path).\(name.text)"
                switch (nowByName[name], thenByName[name]) {
                case (let now?, let then?): collect(now, then, at: place, into: &list)
                case (let now?, nil): list.append("body \(place) is \(shown(now)); none is recorded")
                case (nil, let then?): list.append("body \(place) is missing; recorded is \(shown(then))")
                case (nil, nil): break
                }
            }
        case (.array(let now), .array(let then)) where now.count == then.count:
            for (index, pair) in zip(now, then).enumerated() {
                collect(pair.0, pair.1, at: "\(path)[\(index)]", into: &list)
            }
        case (.array(let now), .array(let then)):
            list.append("body \(path) has \(now.count) elements; recorded are \(then.count)")
        default: list.append("body \(path) is \(shown(sent)); recorded is \(shown(recorded))")
        }
    }

    private static func shown(_ tree: JSONTree) -> String { TextDifference.shortened(tree.text) }
}

/// Finds the first difference between two texts.
enum TextDifference {
    static func describe(_ sent: String, _ recorded: String) -> String {
        let same = zip(sent.unicodeScalars, recorded.unicodeScalars).prefix { $0 == $1 }.count
        let from = max(0, same - 10)
        return "the body differs from character \(same + 1) on: \(quoted(String(sent.unicodeScalars.dropFirst(from))));"
            + " recorded is \(quoted(String(recorded.unicodeScalars.dropFirst(from))))"
    }

    static func quoted(_ text: String) -> String { shortened(text).debugDescription.printable() }

    static func shortened(_ text: String) -> String {
        let scalars = text.unicodeScalars
        return scalars.count > 60 ? String(scalars.prefix(57)) + "…" : text
    }
}
