import HTTPChainCore

/// The deadline of a call and who keeps it, for the stages inside: one scheduler serves the whole call.
final class CallTimer: Sendable {
    let deadline: Deadline
    let scheduler: DeadlineScheduler

    init(deadline: Deadline, scheduler: DeadlineScheduler) {
        self.deadline = deadline
        self.scheduler = scheduler
    }
}

/// The timer of the call, set by the stage that keeps its deadline.
enum CallTimerOption: RequestOption {
    static var defaultValue: CallTimer? { nil }
}

/// Up to when a stage further in holds the response's body, so that the call's stage need not do so again.
enum BodyDeadline: ResponseOption {
    static var defaultValue: Duration? { nil }
}

/// Finds the scheduler for a call.
struct SchedulerSource: Sendable {
    /// For the system's clock there is one for all calls of a stage.
    private let system = DeadlineScheduler(time: SystemTime(), lingers: true)

    /// Any other clock gets one for each call.
    func scheduler(on time: any TimeSource) -> DeadlineScheduler {
        type(of: time) == SystemTime.self ? system : DeadlineScheduler(time: time, lingers: false)
    }
}
