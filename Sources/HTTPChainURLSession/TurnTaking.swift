#if canImport(FoundationNetworking)
import Foundation
import HTTPChainCore

/// Lets what starts and what cancels a task have its turn beside fast downloads.
///
/// FoundationNetworking carries every transfer of the process on one queue. Each session reads its sockets on a queue
/// that runs there and gives it up only when no socket has anything to read: with two downloads that are faster than the
/// machine that is never, and what waits beside it, a start or a cancellation, waits for as long. So where something
/// waits, the session that reads next stands back until that is done.
final class TurnTaking: Sendable {
    private struct State {
        /// How many starts and cancellations wait, or are being done.
        var waiting = 0
        /// Queues that stand back, each suspended once.
        var suspended: Set<Queue> = []
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "HTTPChain.URLSession.control")
    private let calls = DispatchCalls()

    /// Does what waits for the queue of all transfers: not on a thread of Swift's, which are few, nor on that queue.
    func perform(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiting += 1 }
        queue.async { [self] in
            work()
            let suspended = state.withLock { state in
                state.waiting -= 1
                defer { state.suspended = [] }
                return state.suspended
            }
            for queue in suspended { calls?.resume(queue) }
        }
    }

    /// Suspends the queue that this is called on while something waits: it ends what it is doing, and others get on.
    func standBack() {
        guard let calls, state.withLock({ $0.waiting > 0 }) else { return }
        guard let current = calls.current(), calls.label(of: current) == Self.socketQueueLabel else { return }
        state.withLock { state in
            guard state.waiting > 0, state.suspended.insert(current).inserted else { return }
            calls.suspend(current)
        }
    }

    /// The queue on which a session of FoundationNetworking reads its sockets.
    private static let socketQueueLabel = "MultiHandle.isolation"
}

/// A queue of libdispatch's, by its address: Swift has no name for it.
private struct Queue: Hashable {
    let address: UInt
}

/// The calls of libdispatch that Swift does not show: the queue that is running, which is not one of ours.
private struct DispatchCalls: Sendable {
    private typealias Action = @convention(c) @Sendable (UInt) -> Void

    private let getCurrentQueue: @convention(c) @Sendable () -> UInt
    private let getLabel: @convention(c) @Sendable (UInt) -> UnsafePointer<CChar>?
    private let retainObject: Action
    private let releaseObject: Action
    private let suspendObject: Action
    private let resumeObject: Action

    /// Nil where the library does not export them.
    init?() {
        let program = dlopen(nil, RTLD_LAZY)
        func symbol<Function>(_ name: String, as type: Function.Type) -> Function? {
            dlsym(program, name).map { unsafeBitCast($0, to: type) }
        }
        guard
            let current = symbol("dispatch_get_current_queue", as: (@convention(c) @Sendable () -> UInt).self),
            let label = symbol(
                "dispatch_queue_get_label",
                as: (@convention(c) @Sendable (UInt) -> UnsafePointer<CChar>?).self
            ),
            let retain = symbol("dispatch_retain", as: Action.self),
            let release = symbol("dispatch_release", as: Action.self),
            let suspend = symbol("dispatch_suspend", as: Action.self),
            let resume = symbol("dispatch_resume", as: Action.self)
        else { return nil }
        getCurrentQueue = current
        getLabel = label
        retainObject = retain
        releaseObject = release
        suspendObject = suspend
        resumeObject = resume
    }

    func current() -> Queue? {
        let address = getCurrentQueue()
        return address == 0 ? nil : Queue(address: address)
    }

    func label(of queue: Queue) -> String? { getLabel(queue.address).map { String(cString: $0) } }

    func suspend(_ queue: Queue) {
        retainObject(queue.address)
        suspendObject(queue.address)
    }

    func resume(_ queue: Queue) {
        resumeObject(queue.address)
        releaseObject(queue.address)
    }
}
#endif
