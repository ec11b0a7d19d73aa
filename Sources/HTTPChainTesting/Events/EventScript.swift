package import Foundation
public import HTTPChainCore

/// A script of events and pauses for one connection of an event stream server, on the clock of the request.
///
/// ```swift
/// let script = EventScript {
///     $0.event("one", id: "1")
///     $0.wait(.seconds(15))
///     $0.comment("heartbeat")
///     $0.event(#"{"a":1}"#, type: "change", id: "2")
///     $0.cut()
/// }
/// ```
///
/// Without ``end()`` or ``cut(_:)`` the connection stays open and silent.
public struct EventScript: Sendable {
    enum Step: Sendable {
        case send(Data)
        case wait(Duration)
        case fail(any Error)
        case end
    }

    private(set) var steps: [Step] = []

    /// Creates a script; an empty one, the default, leaves the connection silent.
    public init(_ write: (inout EventScript) -> Void = { _ in }) {
        write(&self)
    }

    /// Sends an event, with its lines in the order event, id, data.
    ///
    /// - Parameters:
    ///   - data: The data, which may have several lines.
    ///   - type: The event's type, on one line; not sent by default.
    ///   - id: The event's id, on one line; not sent by default.
    public mutating func event(_ data: String, type: String? = nil, id: String? = nil) {
        var text = ""
        if let type { text += "event: \(type)\n" }
        if let id { text += "id: \(id)\n" }
        for line in Self.lines(of: data) { text += "data: \(line)\n" }
        raw(text + "\n")
    }

    /// Sends a comment, such as a heartbeat, with one comment line for each line of the text.
    public mutating func comment(_ text: String = "") {
        raw(Self.lines(of: text).map { ":\($0)\n" }.joined())
    }

    /// Splits text into lines as the format does (HTML standard §9.2.5), because text after a carriage return would
    /// begin another field.
    private static func lines(of text: String) -> [Substring] {
        let joined = text.unicodeScalars.replacing("\r\n".unicodeScalars, with: "\n".unicodeScalars)
        return joined.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" }.map { Substring($0) }
    }

    /// Sets the wait before the client reconnects.
    public mutating func retry(_ wait: Duration) {
        raw("retry: \(wait.bounded.nanoseconds / 1_000_000)\n")
    }

    /// Sends text unchanged, as one chunk.
    public mutating func raw(_ text: String) { raw(Data(text.utf8)) }

    /// Sends bytes unchanged, as one chunk.
    package mutating func raw(_ bytes: Data) { steps.append(.send(bytes)) }

    /// Lets time pass on the request's clock.
    public mutating func wait(_ duration: Duration) { steps.append(.wait(duration)) }

    /// Ends the body normally.
    public mutating func end() { steps.append(.end) }

    /// Breaks the connection.
    ///
    /// - Parameter error: The error thrown to the reader; a lost connection by default.
    public mutating func cut(
        _ error: any Error = TransportError(.connectionLost, sent: .answered, stage: "EventServer")
    ) {
        steps.append(.fail(error))
    }
}

/// Reads a script, waiting on a clock.
struct EventScriptReader: BodyReader {
    private var steps: ArraySlice<EventScript.Step>
    private let time: any TimeSource
    /// An object that exists until the connection has ended.
    private var lifeline: Lifeline?

    init(_ script: EventScript, on time: any TimeSource, lifeline: Lifeline) {
        steps = script.steps[...]
        self.time = time
        self.lifeline = lifeline
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard lifeline != nil else { return nil }
        while let step = steps.popFirst() {
            try Task.checkCancellation()
            switch step {
            case .send(let bytes): if !bytes.isEmpty { return bytes }
            case .wait(let duration): try await time.sleep(for: duration)
            case .fail(let error):
                lifeline = nil
                throw error
            case .end:
                lifeline = nil
                return nil
            }
        }
        // The connection stays silent until the reader is cancelled.
        try await Rendezvous().wait()
        return nil
    }
}
