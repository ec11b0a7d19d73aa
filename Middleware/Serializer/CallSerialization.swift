public import HTTPChainCore

/// The encoding and decoding settings of a single call, if they differ from those of ``SerializerMiddleware``.
///
/// A setting that is `nil` means the stage's own. The methods of `Request` set all of these.
package struct CallSerialization: Sendable {
    /// The choice of a serializer.
    package enum Choice: Sendable {
        /// This serializer, even if the stage doesn't have it.
        case serializer(any Serializer)
        /// The stage's serializer with this name.
        case named(String)
    }

    /// Whether the stage ignores the call.
    package var isOff = false
    /// The serializer that encodes the request.
    ///
    /// If it is `nil`, it is chosen by the call's `Content-Type`, and otherwise is the stage's first.
    package var request: Choice?
    /// The serializer that decodes the response.
    ///
    /// If it is `nil`, it is chosen by the response's `Content-Type`.
    package var response: Choice?
    /// The path of the value in the response.
    package var keyPath: BodyKeyPath?
    /// The keys under which the request's value is nested.
    package var rootKey: BodyKeyPath?
    /// Whether nil properties are encoded as null.
    package var encodesNilAsNull: Bool?
    /// The maximum size of the response.
    package var limit: ByteCount?
    /// The changes to the decoded value, after those of the stage.
    package var afterDecoding: [AfterDecoding] = []
    /// The changes to the request after its value has been encoded, after those of the stage.
    package var afterEncoding: [AfterEncoding] = []

    /// Makes settings that change nothing.
    package init() {}

    /// Whether the settings have the same effect with and without a serializer stage.
    var isEmpty: Bool {
        request == nil && response == nil && keyPath?.isWhole != false && rootKey?.isWhole != false
            && encodesNilAsNull != true && limit == nil && afterDecoding.isEmpty && afterEncoding.isEmpty
    }
}

extension CallSerialization {
    /// Whether the call has settings for decoding the value of the response.
    package var describesDecoding: Bool { !isOff && (innerKeyPath != nil || response != nil || !afterDecoding.isEmpty) }

    /// The key path, unless it is the whole response.
    private var innerKeyPath: BodyKeyPath? { keyPath.flatMap { $0.isWhole ? nil : $0 } }

    /// Checks the settings of a call whose result isn't decoded by the stage.
    ///
    /// - Parameters:
    ///   - type: The type of the result.
    ///   - usesSerializer: Whether the call has another use for its serializer, such as encoding the request.
    /// - Throws: ``SerializerError`` for a key path, for a change to the decoded value, and for a serializer without
    ///   another use.
    package func checkUndecoded(_ type: Any.Type, usesSerializer: Bool) throws(SerializerError) {
        guard !isOff else { return }
        if let innerKeyPath {
            throw SerializerError(.notDecoded(type: "\(type)", setting: "the key path \"\(innerKeyPath)\""))
        }
        if let change = afterDecoding.first {
            throw SerializerError(.notDecoded(type: "\(type)", setting: change.setting))
        }
        if response != nil, !usesSerializer {
            throw SerializerError(.notDecoded(type: "\(type)", setting: "a serializer of the response"))
        }
    }

    /// The settings that apply only if a value is encoded, in the form in which a caller writes them.
    var encodingOnly: [String] {
        var names = bodyOnly
        if encodesNilAsNull == true { names.append("encoding(nilAsNull: true)") }
        if let request, request.name != response?.name { names.append("encoding(by:)") }
        return names
    }

    /// The settings that apply only to a value that is the whole body, and not to values in a form.
    var bodyOnly: [String] {
        var names: [String] = []
        if let rootKey, !rootKey.isWhole { names.append("encoding(under:)") }
        if !afterEncoding.isEmpty { names.append("afterEncoding(_:_:)") }
        return names
    }

    /// Whether the call has settings for encoding the values in a form.
    var describesValues: Bool { request != nil || encodesNilAsNull == true }

    /// The settings that apply only if a whole response is decoded, in the form in which a caller writes them.
    var decodingOnly: [String] {
        var names: [String] = []
        if let keyPath, !keyPath.isWhole { names.append("decoding(at:)") }
        if let response, response.name != request?.name { names.append("decoding(by:)") }
        if limit != nil { names.append("decoding(upTo:)") }
        if !afterDecoding.isEmpty { names.append("afterDecoding(_:_:)") }
        return names
    }

    /// The settings for decoding that a call without serialization ignores, in the form in which a caller writes them.
    var decodingOverridden: [String] {
        let isShared = response != nil && response?.name == request?.name
        return (isShared ? ["serializer(_:)"] : []) + decodingOnly
    }
}

extension CallSerialization.Choice {
    /// The name of the serializer.
    fileprivate var name: String {
        switch self {
        case .serializer(let serializer): serializer.name
        case .named(let name): name
        }
    }
}

extension CallSerialization: EffectComparable {
    package func hasSameEffect(as other: CallSerialization) -> Bool {
        isOff == other.isOff && Self.isSame(request, other.request) && Self.isSame(response, other.response)
            && keyPath == other.keyPath && rootKey == other.rootKey && encodesNilAsNull == other.encodesNilAsNull
            && limit == other.limit && (afterDecoding + other.afterDecoding).isEmpty
            && (afterEncoding + other.afterEncoding).isEmpty
    }

    private static func isSame(_ one: Choice?, _ other: Choice?) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (.named(let one), .named(let other)): one == other
        default: false
        }
    }
}

/// The request option for a call's settings.
package enum SerializationOption: RequestOption {
    /// The stage's own settings.
    package static var defaultValue: CallSerialization { CallSerialization() }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage("a serialization of the call", reader: "SerializerMiddleware(.json)", phase: .decode)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value.isEmpty
    }
}

/// The value from which a request's body was encoded, for inner stages.
package enum EncodedValueNote: RequestOption, RequestNote {
    /// `nil`: the body wasn't encoded from a value.
    package static var defaultValue: (any Encodable & Sendable)? { nil }
}

extension Request {
    /// The encoding and decoding settings of this call.
    package var serialization: CallSerialization {
        get { options[SerializationOption.self] }
        set { options[SerializationOption.self] = newValue }
    }

    /// Returns the request with a serializer of its own for both directions.
    public consuming func serializer(_ serializer: any Serializer) -> Request {
        serialization.request = .serializer(serializer)
        serialization.response = .serializer(serializer)
        return self
    }

    /// Returns the request with the serializer (or ``DataMapper``) of this name for both directions.
    public consuming func serializer(_ name: String) -> Request {
        serialization.request = .named(name)
        serialization.response = .named(name)
        return self
    }

    /// Returns the request with different settings for encoding its value.
    ///
    /// Decoding isn't affected.
    ///
    /// ```swift
    /// Request.post("login", body: .value(credentials)).encoding(by: .form)
    /// ```
    ///
    /// - Parameters:
    ///   - serializer: The serializer for encoding, or `nil` to leave it unchanged.
    ///   - rootKey: The keys under which the value is nested, an empty path for no nesting, or `nil` to leave them
    ///     unchanged.
    public consuming func encoding(
        by serializer: (any Serializer)? = nil,
        under rootKey: BodyKeyPath? = nil
    ) -> Request {
        if let serializer { serialization.request = .serializer(serializer) }
        if let rootKey { serialization.rootKey = rootKey }
        return self
    }

    /// Returns the request with different settings for decoding the response.
    ///
    /// ```swift
    /// Request.get("plants").decoding(at: "data.items", upTo: .mebibytes(64))
    /// ```
    ///
    /// The settings apply to calls with a type, such as `send(_:as:)`. `send(_:)` without a type and
    /// `Response.decode(_:)` ignore them.
    ///
    /// - Parameters:
    ///   - serializer: The serializer for the response, regardless of its `Content-Type`, or `nil` to leave it
    ///     unchanged.
    ///   - keyPath: The position of the value in the response, an empty path for the whole response, or `nil` to leave
    ///     it unchanged. If anything along the path is null or missing, an optional value is `nil`; for other types, a
    ///     ``SerializerError`` with the key is thrown.
    ///   - limit: The maximum size of the response, or `nil` to leave it unchanged.
    public consuming func decoding(
        by serializer: (any Serializer)? = nil,
        at keyPath: BodyKeyPath? = nil,
        upTo limit: ByteCount? = nil
    ) -> Request {
        if let serializer { serialization.response = .serializer(serializer) }
        if let keyPath { serialization.keyPath = keyPath }
        if let limit { serialization.limit = limit }
        return self
    }

    /// Returns the request with `nil` properties of its value encoded as null, or omitted.
    public consuming func encoding(nilAsNull asNull: Bool) -> Request {
        serialization.encodesNilAsNull = asNull
        return self
    }

    /// Returns the request with another change to the decoded value.
    ///
    /// It follows the stage's own changes.
    ///
    /// - Parameters:
    ///   - type: The type of the value, or of its elements. If the value has another type, ``SerializerError`` is
    ///     thrown before the request is sent.
    ///   - body: Changes the value. Its errors reach the caller unchanged.
    public consuming func afterDecoding<Value: Sendable>(
        _ type: Value.Type,
        _ body: @escaping @Sendable (_ value: inout Value) async throws -> Void
    ) -> Request {
        serialization.afterDecoding.append(.of(type, body))
        return self
    }

    /// Returns the request with serialization enabled or disabled.
    ///
    /// If it is disabled, the body must be bytes, and the response is left unchanged. The call's settings for encoding
    /// don't apply to the bytes, so that a call whose declaration has such settings can also send bytes.
    ///
    /// If such a call requests a type, it is decoded from JSON with the default settings. A setting of the call for
    /// decoding therefore throws ``SerializerError``.
    public consuming func serializer(_ isOn: Bool) -> Request {
        serialization.isOff = !isOn
        return self
    }
}
