/// The expression by which a caller sets an option, and the stage that reads it, for ``UnreadOptionError``.
public struct OptionUsage: Sendable, Hashable {
    /// The call or expression that sets the option, such as ".timeout(_:)".
    package let expression: String
    /// The stage that reads the option, as written in a chain, or `nil` if it isn't known.
    package let reader: String?
    /// The phase of that stage.
    package let phase: Phase

    /// Describes the use of an option.
    ///
    /// - Parameters:
    ///   - expression: The call or expression that sets the option, such as ".timeout(_:)".
    ///   - reader: The stage that reads the option, as written in a chain, such as "TimeoutMiddleware()".
    ///   - phase: The phase of that stage, which determines the place that the error proposes.
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
    /// Like ``checked``, but these options count as read: a stage, such as a request processor, has a closure that
    /// reads them and can't declare them.
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
    /// The place in the chain for the reader of each option; omits options that turn off a behaviour of the transport.
    private let places: [String]
    /// The stage whose hook set the options after the stages that read them; nil if the call set them.
    private let setter: String?
    /// The request as the chain received it, or as the hook changed it.
    package let failedExchange: ExchangeSnapshot?

    /// Makes the error.
    ///
    /// - Parameters:
    ///   - unread: The options that nothing reads.
    ///   - forbidding: The options that nothing reads, and that turn off a behaviour of the transport.
    ///   - stages: The stages of the chain.
    ///   - setter: The stage whose hook set the options; nil if the call set them.
    ///   - request: The request as the chain received it, or as the hook changed it.
    init(
        _ unread: [OptionUsage],
        forbidding: [OptionUsage] = [],
        stages: [any Middleware] = [],
        setBy setter: String? = nil,
        request: borrowing Request
    ) {
        options = unread + forbidding
        self.setter = setter
        places = unread.map { option in
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
        var fixes = zip(options, places).map { option, place in
            guard let reader = option.reader else {
                return
                    "name the type in `optionsRead` of the stage that reads \(option.expression), or, if a closure reads "
                    + "it, build the chain with options: .reading([…])"
            }
            return "add \(reader)\(place)"
        }
        fixes += options.dropFirst(places.count).map {
            "switch off in the transport what \($0.expression) forbids, because the transport does it by itself"
        }
        if setter != nil { fixes = ["set \(names) where the request is made, or use a chain that reads it"] }
        return Explanation(
            "no stage \(setter.map { "inside \($0)" } ?? "of the chain") reads \(names), so "
                + "\(options.count == 1 ? "it" : "they") would have no effect",
            fixes.joined(separator: "; ") + "; to ignore such options, build the chain with options: .unchecked"
        )
    }
}

/// The options that the stages and the transport of a chain read.
struct OptionReaders: Sendable {
    /// The unread options that a chain refuses.
    enum Check: Sendable {
        /// It refuses none.
        case nothing
        /// It refuses those with an effect.
        case effects
        /// It refuses those with an effect, and those that turn off a behaviour of the transport.
        case effectsAndSwitches
    }

    /// The unread options that a chain refuses.
    let check: Check
    /// The types of the options, for an outer chain.
    let keys: [any RequestOption.Type]
    /// The options declared with ``OptionCheck/reading(_:)``.
    let named: [any RequestOption.Type]
    /// The identifiers of the keys, so that comparing each is as fast as comparing integers.
    private let identifiers: [ObjectIdentifier]
    /// The behaviours of the transport that an option can turn off, if nothing in the chain reads that option.
    private let switches: TransportCapabilities

    init(stages: [any Middleware], transport: any Transport, check: OptionCheck = .checked) {
        if case .reading(let keys) = check { named = keys } else { named = [] }
        let keys = stages.flatMap(\.optionsRead) + transport.optionsRead + named
        var switches = transport.capabilities.switches
        if !switches.isEmpty {
            for key in keys { (key as? any TransportSwitch.Type).map { switches.subtract($0.doneBy) } }
        }
        self.switches = switches
        if case .unchecked = check {
            self.check = .nothing
        } else {
            self.check = switches.isEmpty ? .effects : .effectsAndSwitches
        }
        var seen: Set<ObjectIdentifier> = []
        self.keys = keys.filter { seen.insert(ObjectIdentifier($0)).inserted }
        identifiers = self.keys.map { ObjectIdentifier($0) }
    }

    /// Whether every option of a request is read by something, or harmless.
    func read(all storage: OptionStorage) -> Bool {
        storage.last?.isRead(by: identifiers) ?? true
    }

    /// Refuses the options of a request that nothing reads, and ends the waits for their values.
    func refuseUnreadOptions(
        of request: borrowing Request,
        stages: [any Middleware] = []
    ) throws(UnreadOptionError) {
        let entries = request.options.storage.entries
        let unread = entries.filter { !$0.isHarmless && !identifiers.contains(ObjectIdentifier($0.key)) }
        let forbidding = entries.filter { $0.isHarmless && request.options.forbids($0.key, switches) }
        guard !unread.isEmpty || !forbidding.isEmpty else { return }
        request.options.endUnreadWaits()
        throw UnreadOptionError(
            unread.map(\.usage),
            forbidding: forbidding.map(\.usage),
            stages: stages,
            request: request
        )
    }
}

/// An option that can turn off a behaviour that some transports have by default.
///
/// It is harmless if the transport doesn't have that behaviour.
package protocol TransportSwitch: RequestOption {
    /// The capability of transports with that behaviour.
    static var doneBy: TransportCapabilities { get }
    /// Returns whether a value turns the behaviour off.
    static func forbids(_ value: Value) -> Bool
}

extension RequestOptions {
    /// Whether the value of an option turns off a behaviour of a transport with these capabilities.
    fileprivate func forbids(_ key: any Any.Type, _ capabilities: TransportCapabilities) -> Bool {
        guard !capabilities.isEmpty, let option = key as? any TransportSwitch.Type,
            capabilities.contains(option.doneBy)
        else { return false }
        return forbids(option)
    }

    private func forbids<Option: TransportSwitch>(_ option: Option.Type) -> Bool { Option.forbids(self[option]) }
}

extension TransportCapabilities {
    /// The behaviours that the transport keeps even if an option of the request turns them off.
    fileprivate var switches: TransportCapabilities {
        let all = intersection([.followsRedirects, .handlesCookies, .caches])
        return contains(.redirectsOnlyWhenAllowed) ? all.subtracting(.followsRedirects) : all
    }
}

extension Transport {
    /// Refuses the options of a request that this transport doesn't read, like a chain without stages.
    ///
    /// A client calls it for a transport that isn't a chain, because nothing else checks the options of its calls.
    package func refuseUnreadOptions(of request: borrowing Request) throws(UnreadOptionError) {
        guard !capabilities.switches.isEmpty || request.options.storage.contains(where: { !$0.isHarmless })
        else { return }
        try OptionReaders(stages: [], transport: self).refuseUnreadOptions(of: request)
    }
}

extension OptionStorage.Entry {
    /// The expression by which a caller sets the option.
    var usage: OptionUsage {
        (key as? any RequestOption.Type)?.usage ?? OptionUsage("options[\(key).self]")
    }
}

extension RequestOptions {
    /// The expressions that set the request's options, without options that have no effect if nothing reads them.
    var expressions: [String] { expressions(notReadBy: []) }

    /// Returns the expressions that set the request's options, without options among the keys and options that have no
    /// effect if nothing reads them.
    package func expressions(notReadBy keys: [any RequestOption.Type]) -> [String] {
        let read = Set(keys.map { ObjectIdentifier($0) })
        return storage.entries.filter { !$0.isHarmless && !read.contains(ObjectIdentifier($0.key)) }
            .map(\.usage.expression)
    }

    /// Returns the expressions that set the request's options that are among the keys.
    func expressions(readBy keys: [any RequestOption.Type]) -> [String] {
        let read = Set(keys.map { ObjectIdentifier($0) })
        return storage.entries.filter { !$0.isHarmless && read.contains(ObjectIdentifier($0.key)) }
            .map(\.usage.expression)
    }
}

extension Next {
    /// Refuses the options that a hook of a stage has set and that nothing inside the stage reads, such as a timeout set
    /// inside the stage that enforces it.
    ///
    /// Ignores options that don't name their reader, and chains that don't check options.
    ///
    /// - Parameters:
    ///   - request: The request as changed by the hook.
    ///   - setter: The name of the stage.
    ///   - given: The options before the hook; nil for a separate request, which a chain may already have checked.
    /// - Throws: ``UnreadOptionError``.
    package func refuseLateOptions(
        of request: borrowing Request,
        setBy setter: String,
        after given: RequestOptions?
    ) throws(UnreadOptionError) {
        let (storage, old) = (request.options.storage, given?.storage ?? OptionStorage())
        guard storage.last !== old.last, given != nil || !storage.isChecked,
            let readers, readers.check != .nothing
        else { return }
        // A value that is harmless without the stage that reads it has an effect with that stage.
        let inner = Set(optionsRead.map { ObjectIdentifier($0) })
        let late = storage.entries.filter { entry in
            let key = ObjectIdentifier(entry.key)
            return (!entry.isHarmless || given != nil && readers.keys.contains { ObjectIdentifier($0) == key })
                && !inner.contains(key) && entry.usage.reader != nil && !old.contains { $0.box === entry.box }
        }
        guard !late.isEmpty else { return }
        request.options.endUnreadWaits()
        throw UnreadOptionError(late.map(\.usage), setBy: setter, request: request)
    }
}
