// The functions of OData URL Conventions 4.01 §5.1.1.5 to §5.1.1.11, except those for geography.

extension ODataExpression {
    private func calling(_ name: String, _ arguments: ODataNode...) -> ODataExpression {
        ODataExpression(.call(name, [node] + arguments))
    }

    /// Whether the text contains another text.
    public func contains(_ text: String) -> ODataExpression { calling("contains", .literal(text.odataLiteral)) }

    /// Whether the text contains another text, which is computed.
    public func contains(_ text: ODataExpression) -> ODataExpression { calling("contains", text.node) }

    /// Whether a property, given by name, contains a text.
    public static func contains(_ property: String, _ text: String) -> ODataExpression {
        .property(property).contains(text)
    }

    /// Whether a property, given by key path, contains a text.
    public static func contains(_ path: KeyPath<Entity, String>, _ text: String) -> ODataExpression {
        .property(path).contains(text)
    }

    /// Whether the text begins with another text.
    public func startsWith(_ prefix: String) -> ODataExpression { calling("startswith", .literal(prefix.odataLiteral)) }

    /// Whether the text begins with another text, which is computed.
    public func startsWith(_ prefix: ODataExpression) -> ODataExpression { calling("startswith", prefix.node) }

    /// Whether a property, given by name, begins with a text.
    public static func startsWith(_ property: String, _ prefix: String) -> ODataExpression {
        .property(property).startsWith(prefix)
    }

    /// Whether a property, given by key path, begins with a text.
    public static func startsWith(_ path: KeyPath<Entity, String>, _ prefix: String) -> ODataExpression {
        .property(path).startsWith(prefix)
    }

    /// Whether the text ends with another text.
    public func endsWith(_ suffix: String) -> ODataExpression { calling("endswith", .literal(suffix.odataLiteral)) }

    /// Whether the text ends with another text, which is computed.
    public func endsWith(_ suffix: ODataExpression) -> ODataExpression { calling("endswith", suffix.node) }

    /// Whether a property, given by name, ends with a text.
    public static func endsWith(_ property: String, _ suffix: String) -> ODataExpression {
        .property(property).endsWith(suffix)
    }

    /// Whether a property, given by key path, ends with a text.
    public static func endsWith(_ path: KeyPath<Entity, String>, _ suffix: String) -> ODataExpression {
        .property(path).endsWith(suffix)
    }

    /// Whether the text matches an ECMAScript regular expression (OData 4.01).
    public func matches(_ pattern: String) -> ODataExpression {
        calling("matchesPattern", .literal(pattern.odataLiteral))
    }

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

    /// The text followed by another.
    public func concatenated(with text: String) -> ODataExpression { concatenated(with: .value(text)) }

    /// The number of characters, or of elements.
    public func length() -> ODataExpression { calling("length") }

    /// The text in lower case.
    public func lowercased() -> ODataExpression { calling("tolower") }

    /// The text in upper case.
    public func uppercased() -> ODataExpression { calling("toupper") }

    /// The text without leading and trailing white space.
    public func trimmed() -> ODataExpression { calling("trim") }

    /// The year of a date.
    public func year() -> ODataExpression { calling("year") }

    /// The month of a date.
    public func month() -> ODataExpression { calling("month") }

    /// The day of a date.
    public func day() -> ODataExpression { calling("day") }

    /// The hour of a time.
    public func hour() -> ODataExpression { calling("hour") }

    /// The minute of a time.
    public func minute() -> ODataExpression { calling("minute") }

    /// The second of a time.
    public func second() -> ODataExpression { calling("second") }

    /// The fractional seconds of a time.
    public func fractionalSeconds() -> ODataExpression { calling("fractionalseconds") }

    /// The date of a date and time.
    public func date() -> ODataExpression { calling("date") }

    /// The time of day of a date and time.
    public func time() -> ODataExpression { calling("time") }

    /// The time zone offset of a date and time, in minutes.
    public func totalOffsetMinutes() -> ODataExpression { calling("totaloffsetminutes") }

    /// A duration in seconds.
    public func totalSeconds() -> ODataExpression { calling("totalseconds") }

    /// The number rounded to the nearest integer.
    public func rounded() -> ODataExpression { calling("round") }

    /// The number rounded down to an integer.
    public func floor() -> ODataExpression { calling("floor") }

    /// The number rounded up to an integer.
    public func ceiling() -> ODataExpression { calling("ceiling") }

    /// The current time of the service.
    public static var now: ODataExpression { ODataExpression(.call("now", [])) }

    /// The earliest possible date and time.
    public static var minimumDateTime: ODataExpression { ODataExpression(.call("mindatetime", [])) }

    /// The latest possible date and time.
    public static var maximumDateTime: ODataExpression { ODataExpression(.call("maxdatetime", [])) }

    /// Whether a collection contains all elements of another (OData 4.01).
    public func hasSubset(_ values: [some ODataLiteralConvertible]) -> ODataExpression {
        calling("hassubset", .array(values.map(\.odataLiteral)))
    }

    /// Whether a collection contains the elements of another in order (OData 4.01).
    public func hasSubsequence(_ values: [some ODataLiteralConvertible]) -> ODataExpression {
        calling("hassubsequence", .array(values.map(\.odataLiteral)))
    }

    /// The value converted to another type, such as `Edm.String`; null if that is impossible.
    public func cast(to type: String) -> ODataExpression { calling("cast", .type(type)) }

    /// Whether the value is of a type, such as `Edm.String`.
    public func isOf(_ type: String) -> ODataExpression { calling("isof", .type(type)) }
}
