#if canImport(FoundationNetworking)
import Foundation
import HTTPChainCore

/// Lets the starts and cancellations of tasks run during fast downloads.
///
/// FoundationNetworking uses a single queue for all transfers of the process. Each session reads its sockets on a queue
/// that runs there, and yields only when no socket has data. With two downloads that are faster than the machine, that
/// doesn't happen until they end, and starts and cancellations wait for as long. If something is waiting, the next
/// session that reads therefore pauses until that is done.
final class TurnTaking: Sendable {
    private struct State {
        /// The number of starts and cancellations that are waiting or running.
        var waiting = 0
        /// The paused queues, each suspended once.
        var suspended: Set<Queue> = []
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "HTTPChain.URLSession.control")
    private let calls = DispatchCalls()

    /// Runs work that waits for the queue of all transfers, neither on one of Swift's few threads nor on that queue.
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

    /// Suspends the current queue while something is waiting.
    ///
    /// The queue finishes its current work, and then other queues proceed.
    func standBack() {
        guard let calls, state.withLock({ $0.waiting > 0 }) else { return }
        guard let current = calls.current(), calls.label(of: current) == Self.socketQueueLabel else { return }
        state.withLock { state in
            guard state.waiting > 0, state.suspended.insert(current).inserted else { return }
            calls.suspend(current)
        }
    }

    /// The label of the queue on which a FoundationNetworking session reads its sockets.
    private static let socketQueueLabel = "MultiHandle.isolation"
}

/// A libdispatch queue; it is identified by its address, because the queue isn't available to Swift.
private struct Queue: Hashable {
    let address: UInt
}

/// The libdispatch functions for the running queue, which belongs to FoundationNetworking.
///
/// They aren't exposed to Swift.
private struct DispatchCalls: Sendable {
    private typealias Action = @convention(c) @Sendable (UInt) -> Void

    private let getCurrentQueue: @convention(c) @Sendable () -> UInt
    private let getLabel: @convention(c) @Sendable (UInt) -> UnsafePointer<CChar>?
    private let retainObject: Action
    private let releaseObject: Action
    private let suspendObject: Action
    private let resumeObject: Action

    /// Returns nil if the library doesn't export them.
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
