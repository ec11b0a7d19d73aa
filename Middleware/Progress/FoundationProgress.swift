public import Foundation
public import HTTPChainCore

extension Request {
    /// Returns the request with a Foundation `Progress`, for code that displays or combines such objects.
    ///
    /// The progress has a child for the download and, if the request has a body, one for the upload. Each counts its
    /// bytes, with equal weights. A child of unknown size is indeterminate. The consumer's view is shown if the chain
    /// has one, and otherwise the wire's.
    ///
    /// Cancelling the progress cancels the call with `CancellationError`, while it waits for the response or reads a
    /// body. On Linux, Foundation doesn't pass a cancellation on to children. Cancel the progress that this method
    /// returns, rather than one that it was added to.
    ///
    /// The progress is for a single call. To make cancellation possible, the request and each read of the response's
    /// body run in child tasks, which adds some overhead.
    public consuming func reportingFoundationProgress() -> (request: Request, progress: Progress) {
        let display = ProgressDisplay(hasUpload: !body.isEmpty)
        let signal = CancellationSignal()
        display.parent.cancellationHandler = { signal.raise() }
        add(ProgressObserver(cancellation: signal) { display.show($0) })
        return (self, display.parent)
    }
}

/// A Foundation progress and its children, updated by the reports of a call.
private final class ProgressDisplay: Sendable {
    let parent: Progress
    private let upload: Progress?
    private let download: Progress
    private let choice = Locked(ViewChoice())

    init(hasUpload: Bool) {
        parent = Progress(totalUnitCount: hasUpload ? 2 : 1)
        parent.kind = .file
        upload = hasUpload ? Progress(totalUnitCount: -1, parent: parent, pendingUnitCount: 1) : nil
        download = Progress(totalUnitCount: -1, parent: parent, pendingUnitCount: 1)
    }

    func show(_ report: TransferProgress) {
        guard choice.withLock({ $0.admits(report.view) }) else { return }
        switch report.direction {
        case .upload: upload.map { Self.show(report, in: $0) }
        case .download: Self.show(report, in: download)
        }
    }

    /// An empty transfer is shown as one complete unit, because Foundation treats 0 of 0 as indeterminate.
    private static func show(_ report: TransferProgress, in progress: Progress) {
        let isEmpty = report.isFinished && report.completed == 0
        progress.totalUnitCount = isEmpty ? 1 : report.expected ?? -1
        progress.completedUnitCount = isEmpty ? 1 : report.completed
    }
}
