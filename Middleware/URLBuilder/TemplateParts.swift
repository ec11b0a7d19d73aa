/// A part of a parsed template.
enum TemplatePart: Sendable, Hashable {
    /// Text between expressions, which is already percent-encoded.
    case literal([UInt8])
    case expression(TemplateExpression)
}

struct TemplateExpression: Sendable, Hashable {
    var operation: TemplateOperator
    var variables: [VariableSpecification]
    /// Whether the expression is a whole path segment, so that it must not be empty.
    var isWholeSegment = false
}

struct VariableSpecification: Sendable, Hashable {
    var name: String
    /// The number of characters of the value that are used (RFC 6570 §2.4.1), or `nil` for all.
    var prefix: Int?
    /// Whether lists and maps are exploded (RFC 6570 §2.4.2).
    var isExploded = false
}

/// The types of expressions in RFC 6570 §2.2, with the table in appendix A.
enum TemplateOperator: UInt8, Sendable, Hashable {
    case simple = 0
    case reserved = 0x2B
    case fragment = 0x23
    case label = 0x2E
    case pathSegment = 0x2F
    case pathParameter = 0x3B
    case query = 0x3F
    case queryContinuation = 0x26

    /// The byte before the first value.
    ///
    /// It is also the operator's own character.
    var first: UInt8? {
        switch self {
        case .simple, .reserved: nil
        default: rawValue
        }
    }

    /// The byte between values.
    var separator: UInt8 {
        switch self {
        case .simple, .reserved, .fragment: .comma
        case .query: .ampersand
        case .label, .pathSegment, .pathParameter, .queryContinuation: rawValue
        }
    }

    /// Whether values are preceded by their names.
    var isNamed: Bool {
        switch self {
        case .pathParameter, .query, .queryContinuation: true
        default: false
        }
    }

    /// Whether a name without a value is followed by an equals sign.
    var keepsEqualsSign: Bool { self == .query || self == .queryContinuation }

    var allowsReserved: Bool { self == .reserved || self == .fragment }

    var allowed: ByteSet { allowsReserved ? .reserved : .unreserved }

    /// Whether the values are in the query, in which slashes and dots have no special meaning.
    var isQuery: Bool { self == .query || self == .queryContinuation }

    /// Whether the expression requires its values because it doesn't add a delimiter.
    var isRequired: Bool { self == .simple || self == .reserved }
}

/// A notation for variables that is recognized in a reference.
///
/// A stage has a set of notations; by default, all of them. Example: `URLBuilderMiddleware(base: base, syntax:
/// [.templates])`.
public enum URLVariableSyntax: Sendable, Hashable, CaseIterable {
    /// `{id}`, `{?q,page}`: templates of RFC 6570, level 4.
    case templates
    /// `:id` in the path, at the beginning of a segment or after a dot or hyphen (`/flights/:from-:to`).
    case colons
    /// `%%0%%` for the first positional variable, as in older configuration files.
    case positions
}

/// A set of notations for variables, as bits, which can be compared quickly.
package struct VariableNotations: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package init(_ syntax: Set<URLVariableSyntax>) {
        self.init()
        for notation in syntax {
            switch notation {
            case .templates: insert(.templates)
            case .colons: insert(.colons)
            case .positions: insert(.positions)
            }
        }
    }

    package static let templates = VariableNotations(rawValue: 1)
    package static let colons = VariableNotations(rawValue: 2)
    package static let positions = VariableNotations(rawValue: 4)
    package static let all: VariableNotations = [.templates, .colons, .positions]

    /// An example of each notation.
    package var examples: String {
        [(VariableNotations.templates, "{id}"), (.colons, ":id"), (.positions, "%%0%%")]
            .filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
