// The common functions of OData URL Conventions 4.01 §5.1.1.5 to §5.1.1.11. For others, use `function(_:_:)`.

extension ODataExpression {
    private func calling(_ name: String, _ arguments: ODataNode...) -> ODataExpression {
        ODataExpression(.call(name, [node] + arguments))
    }

    /// Whether the text contains another text.
    public func contains(_ text: String) -> ODataExpression { calling("contains", .literal(text.odataLiteral)) }

    /// Whether the text begins with another text.
    public func startsWith(_ prefix: String) -> ODataExpression { calling("startswith", .literal(prefix.odataLiteral)) }

    /// Whether the text ends with another text.
    public func endsWith(_ suffix: String) -> ODataExpression { calling("endswith", .literal(suffix.odataLiteral)) }

    /// The position of another text in the text, counted from 0; -1 if it isn't contained.
    public func index(of text: String) -> ODataExpression { calling("indexof", .literal(text.odataLiteral)) }

    /// The text from a position, counted from 0.
    ///
    /// - Parameters:
    ///   - start: The position of the first character.
    ///   - length: The number of characters; all the rest by default.
    public func substring(from start: Int, length: Int? = nil) -> ODataExpression {
        var arguments = [node, .literal(start.odataLiteral)]
        if let length { arguments.append(.literal(length.odataLiteral)) }
        return ODataExpression(.call("substring", arguments))
    }

    /// The text followed by another.
    public func concatenated(with other: ODataExpression) -> ODataExpression { calling("concat", other.node) }

    /// The number of characters, or of elements.
    public func length() -> ODataExpression { calling("length") }

    /// The text in lower case.
    public func lowercased() -> ODataExpression { calling("tolower") }

    /// The text in upper case.
    public func uppercased() -> ODataExpression { calling("toupper") }

    /// The text without leading and trailing white space.
    public func trimmed() -> ODataExpression { calling("trim") }

    /// A part of a date or time: `.property(\.born).part(.year) == 1969`.
    public func part(_ part: ODataDatePart) -> ODataExpression { calling(part.rawValue) }

    /// The number rounded to the nearest integer.
    public func rounded() -> ODataExpression { calling("round") }

    /// The current time of the service.
    public static var now: ODataExpression { ODataExpression(.call("now", [])) }
}

/// A part of a date, a time, or a date and time, for ``ODataExpression/part(_:)``.
public enum ODataDatePart: String, Sendable, Hashable {
    /// The year.
    case year
    /// The month, 1 to 12.
    case month
    /// The day of the month.
    case day
    /// The hour.
    case hour
    /// The minute.
    case minute
    /// The whole second.
    case second
    /// The date of a date and time.
    case date
    /// The time of day of a date and time.
    case time
}
