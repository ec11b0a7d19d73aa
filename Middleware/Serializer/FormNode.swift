import HTTPChainSupport

/// The values of a form with a certain name: texts, members and elements, because names can express all of them.
final class FormNode {
    /// The texts at this position.
    ///
    /// There are several if a name is repeated.
    private(set) var texts: [FormValue] = []
    /// The members, in order of appearance.
    private(set) var keys: [String] = []
    private var members: [String: FormNode] = [:]
    /// The values appended by names with empty brackets.
    private var appended: [FormNode] = []

    init() {}

    init(_ value: FormValue) {
        texts = [value]
    }

    func insert(_ value: FormValue, at path: [String]) {
        var node = self
        for (index, key) in path.enumerated() {
            Steps.take()
            node = node.child(key, before: path.dropFirst(index + 1))
        }
        node.texts.append(value)
    }

    func member(_ key: String) -> FormNode? { members[key] }

    var hasMembers: Bool { !members.isEmpty }

    /// Whether there is no value here, or only an empty text.
    var isBlank: Bool { members.isEmpty && appended.isEmpty && (texts.isEmpty || texts.map(\.text) == [""]) }

    /// The elements of an array, in any notation.
    var elements: [FormNode] {
        if !appended.isEmpty { return appended }
        let numbered = keys.compactMap { key in Int(key).map { (index: $0, key: key) } }
        if !numbered.isEmpty, numbered.count == keys.count {
            return numbered.sorted { $0.index < $1.index }.compactMap { members[$0.key] }
        }
        if texts.count == 1, let pieces = texts.first?.pieces, !pieces.isEmpty {
            return pieces.map { FormNode(FormValue(text: $0)) }
        }
        return texts.map(FormNode.init)
    }

    /// The node under a key.
    ///
    /// Empty brackets begin a new element, unless the last one lacks the next key, as in Rack: `a[][x]=1&a[][y]=2` is
    /// one element. So is `a[][x][]=1&a[][x][]=2`, which appends to a list within it.
    private func child(_ key: String, before rest: ArraySlice<String>) -> FormNode {
        guard key.isEmpty else {
            if let member = members[key] { return member }
            let member = FormNode()
            members[key] = member
            keys.append(key)
            return member
        }
        if let next = rest.first, !next.isEmpty, let last = appended.last, last.hasMembers, !last.holds(rest) {
            return last
        }
        let element = FormNode()
        appended.append(element)
        return element
    }

    /// Returns whether there is already a value at a path, so that another one must be elsewhere.
    private func holds(_ path: ArraySlice<String>) -> Bool {
        guard !path.contains("") else { return false }
        var node = self
        for key in path {
            Steps.take()
            guard let member = node.members[key] else { return false }
            node = member
        }
        return true
    }
}
