/// A stage that sends requests in a user's name: it adds a token, a session, a password, a signature or a user's
/// cookies.
///
/// A chain with such a stage gives each call a ``CallIdentity`` before the first stage sees it. Stages that share
/// responses or keep data for later calls check whether they separate the users of the ones inside.
package protocol IdentifyingMiddleware: Middleware {
    /// Whether the stage, as configured, adds an identity; read when a chain is built.
    var addsIdentity: Bool { get }

    /// Records the user at the beginning of a call, which may wait before it reaches the stage; does nothing by
    /// default.
    func noteIdentity(in identity: CallIdentity)
}

extension IdentifyingMiddleware {
    package func noteIdentity(in identity: CallIdentity) {}
}

/// The users of one call, one for each stage that adds an identity.
///
/// A call belongs to the user who was signed in when it began. All attempts, redirect hops and other requests of the
/// call are sent as that user or not at all, so that one user's request is never sent in the name of another.
///
/// Some stages have only a current user, without an identifier. Such a stage has an epoch, which is incremented when
/// the application replaces or removes the user, and stays the same when a token or session of the same user is
/// refreshed.
package struct CallIdentity: Sendable {
    private enum User: Sendable {
        case epoch(UInt32)
        case object(any AnyObject & Sendable)
    }

    private struct Entry: Sendable {
        /// Retained, so that no other object gets its address during the call.
        let state: any AnyObject & Sendable
        let user: User
    }

    private struct Entries: Sendable {
        /// Stored outside an array, because most chains have only one such stage.
        var first: Entry?
        var others: [Entry] = []

        func user(of state: any AnyObject & Sendable) -> User? {
            if let first, first.state === state { return first.user }
            return others.first { $0.state === state }?.user
        }

        mutating func add(_ user: User, of state: any AnyObject & Sendable) {
            let entry = Entry(state: state, user: user)
            if first == nil { first = entry } else { others.append(entry) }
        }
    }

    private let entries = Locked(Entries())

    package init() {}

    /// Returns whether an epoch is the one that the call began in.
    ///
    /// - Parameters:
    ///   - epoch: The stage's current epoch.
    ///   - state: The state of the stage, which is the same for all calls.
    ///   - binds: Whether a call without an epoch gets this one. Pass `false` while nobody is signed in, because a call
    ///     may wait for a sign-in.
    package func admits(epoch: UInt32, of state: any AnyObject & Sendable, binds: Bool = true) -> Bool {
        entries.withLock { entries in
            if case .epoch(let first) = entries.user(of: state) { return first == epoch }
            if binds { entries.add(.epoch(epoch), of: state) }
            return true
        }
    }

    /// Returns the object that the stage chose first in this call, for a stage that chooses an object for each user.
    ///
    /// - Parameters:
    ///   - choice: The object chosen now.
    ///   - state: The state of the stage, which is the same for all calls.
    package func first<Choice: AnyObject & Sendable>(_ choice: Choice, of state: any AnyObject & Sendable) -> Choice {
        entries.withLock { entries in
            if case .object(let first) = entries.user(of: state), let first = first as? Choice { return first }
            entries.add(.object(choice), of: state)
            return choice
        }
    }
}

extension Request {
    /// The users of this call, or `nil` if no stage adds an identity.
    package var callIdentity: CallIdentity? { options.identity }

    /// Binds all calls with this request, or copies of it, to one user, and returns the identity.
    ///
    /// A chain does this for each call.
    @discardableResult
    package mutating func bindToOneUser() -> CallIdentity {
        if let identity = callIdentity { return identity }
        let identity = CallIdentity()
        options.identity = identity
        return identity
    }

    /// Makes a call one of several that must have the same user, such as those for the pages of a list.
    package mutating func bind(to identity: CallIdentity) {
        options.identity = options.identity ?? identity
    }
}

extension [any Middleware] {
    /// The stages that add an identity, including those of chains that branch off.
    var identifyingStages: [any IdentifyingMiddleware] {
        flatMap { stage -> [any IdentifyingMiddleware] in
            let others = (stage as? any BranchingMiddleware)?.branches ?? []
            let branches = others.flatMap { Chain.identifyingStages(in: $0) }
            guard let stage = stage as? any IdentifyingMiddleware, stage.addsIdentity else { return branches }
            return [stage] + branches
        }
    }
}
