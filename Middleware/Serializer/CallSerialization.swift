public import HTTPChainCore

/// The settings of how the values of one call are turned into bytes and back, where it differs from what
/// ``SerializerMiddleware`` does.
///
/// What is nil here is as the stage has it. The functions of `Request` are the short way to each of these.
public struct CallSerialization: Sendable {
    /// The choice of a serializer.
    public enum Choice: Sendable {
        /// This one, whether or not the stage has it.
        case serializer(any Serializer)
        /// That of the stage which has this name.
        case named(String)
    }

    /// Whether the stage leaves the call alone.
    public var isOff = false
    /// The serializer that writes the request; chosen by the `Content-Type` of the call, else the first of the stage,
    /// when nil.
    public var request: Choice?
    /// The serializer that reads the response; chosen by its `Content-Type` when nil.
    public var response: Choice?
    /// The path of the value in the response.
    public var keyPath: BodyKeyPath?
    /// The keys that the value of the request is put under.
    public var rootKey: BodyKeyPath?
    /// Whether nil properties are written as null.
    public var encodesNilAsNull: Bool?
    /// The largest size of the response.
    public var limit: ByteCount?
    /// The changes to the decoded value, after those of the stage.
    public var afterDecoding: [AfterDecoding] = []
    /// The changes to the request once its value has been written, after those of the stage.
    public var afterEncoding: [AfterEncoding] = []

    /// Everything as the stage has it.
    public init() {}
}

/// The request option that holds a call's own ``CallSerialization``.
public enum CallSerializationOption: RequestOption {
    /// Everything as the stage has it.
    public static var defaultValue: CallSerialization { CallSerialization() }
}

/// The value that a request's body was made of, for the stages inside the serializer.
public enum EncodedValue: RequestOption {
    /// The body was made of no value.
    public static var defaultValue: (any Encodable & Sendable)? { nil }
}

extension Request {
    /// The settings of how the values of this call are turned into bytes and back.
    public var serialization: CallSerialization {
        get { options[CallSerializationOption.self] }
        set { options[CallSerializationOption.self] = newValue }
    }

    /// The request with a serializer of its own for both directions.
    public consuming func serialized(by serializer: some Serializer) -> Request {
        serialization.request = .serializer(serializer)
        serialization.response = .serializer(serializer)
        return self
    }

    /// The request with the serializer, or ``DataMapper``, of this name for both directions.
    public consuming func serialized(by name: String) -> Request {
        serialization.request = .named(name)
        serialization.response = .named(name)
        return self
    }

    /// The request with a serializer of its own for what is sent; the response's is chosen as otherwise.
    ///
    /// ```swift
    /// Request.post("login", body: .value(credentials)).encoded(by: .form)
    /// ```
    public consuming func encoded(by serializer: some Serializer) -> Request {
        serialization.request = .serializer(serializer)
        return self
    }

    /// The request with a serializer of its own for what comes back, whatever its `Content-Type`.
    public consuming func decoded(by serializer: some Serializer) -> Request {
        serialization.response = .serializer(serializer)
        return self
    }

    /// The request with its value taken from a place in the response; an empty path is the response as a whole.
    ///
    /// An optional value is nil if anything on the way is null or missing; for another type that is a
    /// ``SerializerError`` that names the key.
    public consuming func decoded(at keyPath: BodyKeyPath) -> Request {
        serialization.keyPath = keyPath
        return self
    }

    /// The request with another limit on what is decoded.
    public consuming func decoded(upTo limit: ByteCount) -> Request {
        serialization.limit = limit
        return self
    }

    /// The request with its value put under keys; an empty path puts it under none.
    public consuming func encoded(under rootKey: BodyKeyPath) -> Request {
        serialization.rootKey = rootKey
        return self
    }

    /// The request with nil properties of its value written as null.
    public consuming func encodingNilAsNull(_ asNull: Bool = true) -> Request {
        serialization.encodesNilAsNull = asNull
        return self
    }

    /// The request with more to do to the decoded value, after what the stage does.
    public consuming func afterDecoding<Value: Sendable>(
        _ type: Value.Type,
        _ body: @escaping @Sendable (_ value: inout Value) async throws -> Void
    ) -> Request {
        serialization.afterDecoding.append(.of(type, body))
        return self
    }

    /// The request with no serializer at work: its body must be bytes, and the response is left as it comes.
    public consuming func withoutSerialization() -> Request {
        serialization.isOff = true
        return self
    }
}
