/// The place where a call wants its response decoded, other than on the concurrent pool.
///
/// What decodes the bytes of a whole body asks it to: the serializer stage, and ``Transport/send(_:decoding:)`` where
/// there is none.
package protocol DecodingPlace: Sendable {
    /// Runs the decoding there.
    func run<Value: Sendable>(_ decoding: @escaping @Sendable () throws -> Value) async throws -> Value
}

/// The place that a call chose for the decoding of its response; `nil`, as by default, is the concurrent pool.
package enum DecodingPlaceOption: RequestOption {
    package static var defaultValue: (any DecodingPlace)? { nil }
}
