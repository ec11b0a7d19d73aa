/// A part of a parsed template.
enum TemplatePart: Sendable, Hashable {
    /// Text between expressions, already percent-encoded.
    case literal([UInt8])
    case expression(TemplateExpression)
}

struct TemplateExpression: Sendable, Hashable {
    var operation: TemplateOperator
    var variables: [VariableSpecification]
    /// Whether the expression is a whole path segment, so that it mustn't be empty.
    var isWholeSegment = false
}

struct VariableSpecification: Sendable, Hashable {
    var name: String
    /// The number of characters of the value that are used (RFC 6570 §2.4.1); `nil` for all.
    var prefix: Int?
    /// Whether lists and maps are exploded (RFC 6570 §2.4.2).
    var isExploded = false
}

/// The expression types of RFC 6570 §2.2, with the table in appendix A.
enum TemplateOperator: UInt8, Sendable, Hashable {
    case simple = 0
    case reserved = 0x2B
    case fragment = 0x23
    case label = 0x2E
    case pathSegment = 0x2F
    case pathParameter = 0x3B
    case query = 0x3F
    case queryContinuation = 0x26

    /// The byte before the first value; also the operator's own character.
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

    /// Whether values are written with their names.
    var isNamed: Bool {
        switch self {
        case .pathParameter, .query, .queryContinuation: true
        default: false
        }
    }

    /// Whether a name without a value still gets an equals sign.
    var keepsEqualsSign: Bool { self == .query || self == .queryContinuation }

    var allowsReserved: Bool { self == .reserved || self == .fragment }

    var allowed: ByteSet { allowsReserved ? .reserved : .unreserved }

    /// Whether the values are in the query, where slashes and dots have no special meaning.
    var isQuery: Bool { self == .query || self == .queryContinuation }

    /// Whether the expression requires its values, because it adds no delimiter.
    var isRequired: Bool { self == .simple || self == .reserved }
}

/// A notation for variables that is recognized in a reference.
///
/// A stage has a set of them, by default all: `URLBuilderMiddleware(base: base, syntax: [.templates])`.
public enum URLVariableSyntax: Sendable, Hashable, CaseIterable {
    /// `{id}`, `{?q,page}`: RFC 6570 templates, level 4.
    case templates
    /// `:id` in the path, at the beginning of a segment or after a dot or hyphen (`/flights/:from-:to`).
    case colons
    /// `%%0%%`: the first positional variable, as in older configuration files.
    case positions
}

/// A set of notations for variables, in the bits that references are compared with.
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
