/// The place where a call's response is decoded, instead of the concurrent pool.
///
/// Used by the serializer stage, and by ``Transport/send(_:decoding:)`` if there is none.
package protocol DecodingPlace: Sendable {
    /// Runs the decoding in this place.
    func run<Value: Sendable>(_ decoding: @escaping @Sendable () throws -> Value) async throws -> Value
}

/// The place that a call chose for decoding its response; defaults to `nil`, the concurrent pool.
package enum DecodingPlaceNote: RequestNote {
    package static var defaultValue: (any DecodingPlace)? { nil }
    package static var affectsResponse: Bool { false }
}
