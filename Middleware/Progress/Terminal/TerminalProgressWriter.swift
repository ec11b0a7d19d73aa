import Foundation
import HTTPChainCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Keeps a ``TerminalProgressBar`` on the screen of a command-line tool.
///
/// ```swift
/// let writer = TerminalProgressWriter(TerminalProgressBar(label: "map.zip"))
/// let request = Request.get("https://example.com/map.zip").onProgress { writer.show($0) }
/// ```
///
/// On a terminal the line is drawn again and again in its place. Elsewhere, in a log or a pipe, a line is printed when
/// a transfer begins and ends and every so often in between. It writes to the standard error stream, so that the
/// standard output stays for the result. One writer at a time is for one transfer at a time; where the chain has both
/// views the consumer's is shown.
public final class TerminalProgressWriter: Sendable {
    /// Where lines go, for what is not the standard error stream.
    public struct Output: Sendable {
        /// Whether a line can be drawn again in its place.
        public let isTerminal: Bool
        let width: @Sendable () -> Int
        let write: @Sendable (String) -> Void

        /// Makes an output.
        ///
        /// - Parameters:
        ///   - isTerminal: Whether a line can be drawn again in its place.
        ///   - width: The columns there are; asked for each line.
        ///   - write: Writes text; not called twice at a time.
        public init(
            isTerminal: Bool,
            width: @escaping @Sendable () -> Int,
            write: @escaping @Sendable (_ text: String) -> Void
        ) {
            self.isTerminal = isTerminal
            self.width = width
            self.write = write
        }

        /// The standard error stream.
        public static var standardError: Output {
            Output(isTerminal: isatty(STDERR_FILENO) == 1, width: { terminalWidth(STDERR_FILENO) }) { text in
                try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
            }
        }
    }

    private struct State {
        var choice = ViewChoice()
        /// What was last printed, and when by its own time.
        var shown: (direction: TransferProgress.Direction, attempt: Int, time: Duration)?
    }

    private let bar: TerminalProgressBar
    private let output: Output
    private let interval: Duration?
    private let state = Locked(State())

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - bar: What to draw.
    ///   - output: Where; the standard error stream by default.
    ///   - interval: How often a line is printed where the output is no terminal; every 10 seconds by default, and
    ///     `nil` for nothing at all there.
    public init(
        _ bar: TerminalProgressBar = TerminalProgressBar(),
        output: Output = .standardError,
        linesEvery interval: Duration? = .seconds(10)
    ) {
        self.bar = bar
        self.output = output
        self.interval = interval
    }

    /// Shows a report.
    public func show(_ progress: TransferProgress) {
        state.withLock { state in
            guard state.choice.admits(progress.view) else { return }
            let isEnd = progress.state != .running
            if output.isTerminal {
                let line = bar.line(for: progress, width: output.width() - 1)
                output.write("\r\(line)\u{1B}[K" + (isEnd ? "\n" : ""))
            } else if let interval, isEnd || isDue(progress, after: state.shown, interval) {
                state.shown = (progress.direction, progress.attempt, progress.elapsed)
                output.write(bar.line(for: progress, width: output.width()) + "\n")
            }
        }
    }

    private func isDue(
        _ progress: TransferProgress,
        after shown: (direction: TransferProgress.Direction, attempt: Int, time: Duration)?,
        _ interval: Duration
    ) -> Bool {
        guard let shown, (shown.direction, shown.attempt) == (progress.direction, progress.attempt) else { return true }
        return progress.elapsed - shown.time >= interval
    }
}

/// The columns of a terminal; 80 where it does not say.
private func terminalWidth(_ descriptor: Int32) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
}
