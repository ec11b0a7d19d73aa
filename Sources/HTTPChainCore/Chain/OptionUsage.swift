/// The expression by which a caller sets an option, and the stage that reads it, for ``UnreadOptionError``.
public struct OptionUsage: Sendable, Hashable {
    /// The call or expression that sets the option, such as ".timeout(_:)".
    package let expression: String
    /// The stage that reads the option, as it is written in a chain, or `nil` if it isn't known.
    package let reader: String?
    /// The phase of that stage.
    package let phase: Phase

    /// Describes the use of an option.
    ///
    /// - Parameters:
    ///   - expression: The call or expression that sets the option, such as ".timeout(_:)".
    ///   - reader: The stage that reads the option, as it is written in a chain, such as "TimeoutMiddleware()".
    ///   - phase: The phase of that stage, which decides the place that the error proposes.
    public init(_ expression: String, reader: String? = nil, phase: Phase = .anywhere) {
        self.expression = expression
        self.reader = reader
        self.phase = phase
    }
}

/// Whether a chain checks that the options of its requests are read.
public enum OptionCheck: Sendable {
    /// A request with an option that nothing in the chain reads throws ``UnreadOptionError``.
    case checked
    /// Like ``checked``, but these options are also read, by the closure of a stage that can't name them, such as a
    /// processor.
    case reading([any RequestOption.Type])
    /// Options that nothing reads are ignored.
    case unchecked
}

/// An error thrown if a request has options that no stage and no transport of the chain reads; nothing was sent.
///
/// To send such a request anyway, build the chain with `options: .unchecked`.
public struct UnreadOptionError: ExplainedError, Hashable {
    /// The options that nothing reads, in the order they were set.
    package let options: [OptionUsage]
    /// The place for the reader of each option.
    private let places: [String]
    /// The request as the chain received it.
    package let failedExchange: ExchangeSnapshot?

    init(_ options: [OptionUsage], stages: [any Middleware], request: borrowing Request) {
        self.options = options
        places = options.map { option in
            guard let inner = stages.first(where: { option.phase.isOutside($0.phase) }) else {
                return option.phase == .anywhere ? "" : " as the innermost stage"
            }
            return " outside \(inner.summary.name)"
        }
        failedExchange = ExchangeSnapshot(request.head, redaction: request.redaction)
    }

    /// Always "Chain".
    package var failedStage: String { "Chain" }

    package var explanation: Explanation {
        let names = options.map(\.expression).joined(separator: ", ")
        let fixes = zip(options, places).map { option, place in
            guard let reader = option.reader else {
                return
                    "name the type in `optionsRead` of the stage that reads \(option.expression), or, if a closure reads "
                    + "it, build the chain with options: .reading([…])"
            }
            return "add \(reader)\(place)"
        }
        return Explanation(
            "no stage of the chain reads \(names), so \(options.count == 1 ? "it" : "they") would have no effect",
            fixes.joined(separator: "; ") + "; to ignore such options, build the chain with options: .unchecked"
        )
    }
}

/// The options that the stages and the transport of a chain read.
struct OptionReaders: Sendable {
    /// Whether a chain refuses options that are not among these.
    let isChecked: Bool
    /// The types of the options, for a chain around this one.
    let keys: [any RequestOption.Type]
    /// The identifiers of the keys, so that comparing each is as fast as comparing integers.
    private let identifiers: [ObjectIdentifier]

    init(stages: [any Middleware], transport: any Transport, check: OptionCheck = .checked) {
        var keys = stages.flatMap(\.optionsRead) + transport.optionsRead
        if case .reading(let more) = check { keys += more }
        isChecked = if case .unchecked = check { false } else { true }
        var seen: Set<ObjectIdentifier> = []
        self.keys = keys.filter { seen.insert(ObjectIdentifier($0)).inserted }
        identifiers = self.keys.map { ObjectIdentifier($0) }
    }

    /// Whether every option of a request is read by something, or harmless.
    @inline(__always)
    func read(all storage: OptionStorage) -> Bool {
        for entry in storage.entries where !entry.isHarmless && !identifiers.contains(ObjectIdentifier(entry.key)) {
            return false
        }
        return true
    }

    /// Returns the options of a request that nothing reads.
    func unread(in storage: OptionStorage) -> [OptionUsage] {
        storage.entries.filter { !$0.isHarmless && !identifiers.contains(ObjectIdentifier($0.key)) }.map(\.usage)
    }
}

extension OptionStorage.Entry {
    /// The expression by which a caller sets the option.
    var usage: OptionUsage {
        (key as? any RequestOption.Type)?.usage ?? OptionUsage("options[\(key).self]")
    }
}

extension RequestOptions {
    /// The options that have an effect only if something reads them, as a caller writes them.
    var expressions: [String] { expressions(notReadBy: []) }

    /// Returns the options that have an effect only if something reads them, without those among the keys, as a caller
    /// writes them.
    package func expressions(notReadBy keys: [any RequestOption.Type]) -> [String] {
        let read = Set(keys.map { ObjectIdentifier($0) })
        return storage.entries.filter { !$0.isHarmless && !read.contains(ObjectIdentifier($0.key)) }
            .map(\.usage.expression)
    }

    /// Returns the options that are among the keys, as a caller writes them.
    func expressions(readBy keys: [any RequestOption.Type]) -> [String] {
        let read = Set(keys.map { ObjectIdentifier($0) })
        return storage.entries.filter { !$0.isHarmless && read.contains(ObjectIdentifier($0.key)) }
            .map(\.usage.expression)
    }
}
