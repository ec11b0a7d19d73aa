#if Tracing
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPChainTracing
public import Tracing

/// A span that is shipped when it ends, if its trace is recorded.
public struct ShippedSpan: Span {
    /// The context for work within the span.
    public let context: InstrumentationContext
    /// The data of the span, or `nil` if it isn't recorded.
    let recording: Recording?

    /// Whether changes to the span are kept: its trace is recorded, and the span hasn't ended.
    public var isRecording: Bool { recording?.isOpen ?? false }

    /// The name of the operation.
    ///
    /// It is empty if the span isn't recorded.
    public var operationName: String {
        get { recording?.read { $0.record.name } ?? "" }
        nonmutating set { recording?.change { $0.record.name = newValue } }
    }

    /// The attributes.
    public var attributes: SpanAttributes {
        get { recording?.read { $0.attributes } ?? [:] }
        nonmutating set { recording?.change { $0.attributes = newValue } }
    }

    /// Sets the result of the operation.
    ///
    /// Once the result is `ok`, it can't be changed.
    public func setStatus(_ status: SpanStatus) {
        recording?.change { state in
            guard state.record.status != .ok else { return }
            state.record.status =
                switch status.code {
                case .ok: .ok
                case .error: .error(status.message ?? "")
                }
        }
    }

    /// Adds an event.
    public func addEvent(_ event: SpanEvent) {
        recording?.add(event)
    }

    /// Adds an error as the event `exception`.
    public func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {
        guard let recording, recording.isOpen else { return }
        var attributes = attributes
        attributes["exception.type"] = SpanAttribute.string(String(reflecting: type(of: error)))
        attributes["exception.message"] = SpanAttribute.string((error as? any HTTPChainError)?.reason ?? "\(error)")
        recording.add(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    /// Adds a link to a related span.
    ///
    /// A link without a trace is omitted.
    public func addLink(_ link: SpanLink) {
        recording?.add(link)
    }

    /// Ends the span and passes it to the shipper.
    ///
    /// If the span has already ended, this has no effect.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let recording, recording.isOpen else { return }
        recording.end(at: instant().nanosecondsSinceEpoch)
    }
}

extension ShippedSpan {
    /// The data of a span until it ends.
    final class Recording: Sendable {
        struct State {
            var record: SpanRecord
            var attributes: SpanAttributes = [:]
            var isOpen = true
        }

        private let state: Locked<State>
        private let sink: any LogSink
        private let limits: SpanLimits
        private let redaction: Redaction

        init(_ record: SpanRecord, sink: any LogSink, limits: SpanLimits, redaction: Redaction) {
            state = Locked(State(record: record))
            self.sink = sink
            self.limits = limits
            self.redaction = redaction
        }

        var isOpen: Bool { state.withLock { $0.isOpen } }

        func read<Value: Sendable>(_ body: (State) -> Value) -> Value { state.withLock { body($0) } }

        func change(_ body: (inout State) -> Void) {
            state.withLock { state in
                if state.isOpen { body(&state) }
            }
        }

        func add(_ event: SpanEvent) {
            change { state in
                guard state.record.events.count < limits.events else {
                    state.record.dropped.events += 1
                    return
                }
                let attributes = attributes(event.attributes, upTo: limits.innerAttributes).kept
                state.record.events.append(.init(event.name, at: event.nanosecondsSinceEpoch, attributes: attributes))
            }
        }

        func add(_ link: SpanLink) {
            guard let trace = link.context.traceContext else { return }
            change { state in
                guard state.record.links.count < limits.links else {
                    state.record.dropped.links += 1
                    return
                }
                let attributes = attributes(link.attributes, upTo: limits.innerAttributes).kept
                state.record.links.append(
                    .init(traceID: trace.traceID, spanID: trace.spanID, attributes: attributes)
                )
            }
        }

        func end(at time: UInt64) {
            let state: State? = state.withLock { state in
                guard state.isOpen else { return nil }
                state.isOpen = false
                return state
            }
            guard let state else { return }
            var record = state.record
            record.end = max(record.start, time)
            let (kept, dropped) = attributes(state.attributes, upTo: limits.attributes)
            record.attributes = kept
            record.dropped.attributes = dropped
            record.name = shown(record.name)
            if case .error(let message) = record.status { record.status = .error(shown(message)) }
            let level = LogRecord(record).level
            guard sink.isEnabled(level, for: record.scope) else { return }
            sink.log(LogRecord(record))
        }

        /// Returns the attributes, sorted by name and without secrets.
        private func attributes(
            _ attributes: SpanAttributes,
            upTo limit: Int
        ) -> (kept: LogAttributes, dropped: Int) {
            var pairs: [(name: String, value: JSONValue)] = []
            attributes.forEach { name, attribute in
                pairs.append((name, redaction.isSecret(name: name) ? .string("REDACTED") : value(of: attribute)))
            }
            pairs.sort { $0.name < $1.name }
            var kept = LogAttributes()
            for pair in pairs.prefix(limit) { kept.append(pair.name, pair.value) }
            return (kept, max(0, pairs.count - limit))
        }

        private func value(of attribute: SpanAttribute) -> JSONValue {
            switch attribute {
            case .int32(let number): .integer(Int64(number))
            case .int64(let number): .integer(number)
            case .int32Array(let numbers): .array(numbers.map { .integer(Int64($0)) })
            case .int64Array(let numbers): .array(numbers.map { .integer($0) })
            case .double(let number): .number(number)
            case .doubleArray(let numbers): .array(numbers.map { .number($0) })
            case .bool(let truth): .bool(truth)
            case .boolArray(let truths): .array(truths.map { .bool($0) })
            case .string(let text): .string(shown(text))
            case .stringArray(let texts): .array(texts.map { .string(shown($0)) })
            case .stringConvertible(let value): .string(shown("\(value)"))
            case .stringConvertibleArray(let values): .array(values.map { .string(shown("\($0)")) })
            default: .null
            }
        }

        private func shown(_ text: String) -> String {
            // The text is truncated by Unicode scalars, because a `Character` may have any length.
            let cut = text.utf8.count > limits.length ? text.unicodeScalars.prefix(limits.length) : nil
            let shown = cut.map { String(String.UnicodeScalarView($0)) } ?? text
            return redaction.text(shown, isCutOff: shown.utf8.count < text.utf8.count)
        }
    }
}

extension SpanRecord.Kind {
    init(_ kind: SpanKind) {
        self =
            switch kind {
            case .server: .server
            case .client: .client
            case .producer: .producer
            case .consumer: .consumer
            case .internal: .internal
            }
    }
}
#endif
