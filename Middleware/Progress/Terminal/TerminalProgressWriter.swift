import Foundation
import HTTPChainCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Shows the progress of a transfer as a bar in a command-line tool.
///
/// ```swift
/// let writer = TerminalProgressWriter(label: "map.zip", showing: .download)
/// let request = Request.get("https://example.com/map.zip").progress { writer.show($0) }
/// writer.print("a message that does not land on the bar's line")
/// ```
///
/// The line looks like `map.zip   42%  [=====>       ]  4.2 MB of 10 MB  1.1 MB/s  0:06`. On a terminal, it is redrawn
/// in place. In a log or a pipe, a line is printed when a transfer begins and ends, and at intervals in between.
/// Nothing is drawn before the first byte, so that a call that fails immediately, for example because a file is missing
/// or a connection fails, shows only its error. The writer uses the standard error stream, so that the standard output
/// contains only the result. Use one writer for one transfer at a time. If the chain has both views, the consumer's is
/// shown.
public final class TerminalProgressWriter: Sendable {
    /// A destination for lines.
    package struct Output: Sendable {
        /// Whether a line can be redrawn in place.
        package let isTerminal: Bool
        let width: @Sendable () -> Int
        let write: @Sendable (String) -> Void

        /// Makes an output.
        ///
        /// - Parameters:
        ///   - isTerminal: Whether a line can be redrawn in place.
        ///   - width: Returns the number of columns; called for each line.
        ///   - write: Writes text; never called concurrently.
        package init(
            isTerminal: Bool,
            width: @escaping @Sendable () -> Int,
            write: @escaping @Sendable (_ text: String) -> Void
        ) {
            self.isTerminal = isTerminal
            self.width = width
            self.write = write
        }

        /// The standard error stream.
        package static var standardError: Output {
            Output(isTerminal: isatty(STDERR_FILENO) == 1, width: { terminalWidth(STDERR_FILENO) }) { text in
                try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
            }
        }
    }

    private struct State {
        var choice = ViewChoice()
        /// The state that was last printed, and its elapsed time.
        var shown: (direction: TransferProgress.Direction, attempt: Int, time: Duration)?
        /// The transfer on the current line.
        var drawn: TransferProgress?
    }

    private let bar: TerminalProgressBar
    /// The direction that is shown, or `nil` for both.
    private let direction: TransferProgress.Direction?
    private let output: Output
    private let interval: Duration?
    private let state = Locked(State())

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - label: The text before the numbers, such as a file's name; empty by default. Control characters are shown as
    ///     spaces.
    ///   - direction: The direction that is shown; both by default. For an upload with a short response, use `.upload`.
    ///   - interval: The interval between lines if the output isn't a terminal; 10 seconds by default, `nil` to print
    ///     none.
    ///   - terminalWidth: The number of columns of the terminal that `output` writes to, or `nil`, the default, if it
    ///     isn't a terminal. Not needed for the standard error stream.
    ///   - output: Receives the text, and is never called concurrently. By default, the text is written to the standard
    ///     error stream.
    public convenience init(
        label: String = "",
        showing direction: TransferProgress.Direction? = nil,
        linesEvery interval: Duration? = .seconds(10),
        terminalWidth: Int? = nil,
        output: (@Sendable (_ text: String) -> Void)? = nil
    ) {
        self.init(
            TerminalProgressBar(label: label),
            showing: direction,
            output: output.map { write in
                Output(isTerminal: terminalWidth != nil, width: { terminalWidth ?? 80 }, write: write)
            } ?? .standardError,
            linesEvery: interval
        )
    }

    package init(
        _ bar: TerminalProgressBar,
        showing direction: TransferProgress.Direction?,
        output: Output,
        linesEvery interval: Duration?
    ) {
        self.bar = bar
        self.direction = direction
        self.output = output
        self.interval = interval
    }

    /// Shows a report.
    public func show(_ progress: TransferProgress) {
        state.withLock { state in
            guard state.choice.admits(progress.view) else { return }
            guard direction == nil || direction == progress.direction else {
                // The response has begun, so the upload's line is left unchanged.
                if let drawn = state.drawn, drawn.direction != progress.direction { leave(&state) }
                return
            }
            if output.isTerminal { draw(progress, &state) } else { log(progress, &state) }
        }
    }

    /// Prints a line of text above the bar.
    ///
    /// On a terminal, the text replaces the bar, which is redrawn below it. Use this for messages of a tool that writes
    /// to the same terminal. A line feed is added at the end.
    ///
    /// - Parameter text: The text to print.
    public func print(_ text: String) {
        state.withLock { state in
            guard output.isTerminal, let drawn = state.drawn else { return output.write(text + "\n") }
            output.write("\r\u{1B}[K\(text)\n\(bar.line(for: drawn, width: output.width() - 1))\u{1B}[K")
        }
    }

    private func draw(_ progress: TransferProgress, _ state: inout State) {
        if progress.completed == 0, state.drawn?.direction != progress.direction { return }
        let isEnd = progress.state != .running
        output.write("\r\(bar.line(for: progress, width: output.width() - 1))\u{1B}[K" + (isEnd ? "\n" : ""))
        state.drawn = isEnd ? nil : progress
    }

    private func log(_ progress: TransferProgress, _ state: inout State) {
        guard let interval else { return }
        if progress.completed == 0, state.shown?.direction != progress.direction { return }
        guard progress.state != .running || isDue(progress, after: state.shown, interval) else { return }
        state.shown = (progress.direction, progress.attempt, progress.elapsed)
        output.write(bar.line(for: progress, width: output.width()) + "\n")
    }

    private func leave(_ state: inout State) {
        if output.isTerminal { output.write("\n") }
        state.drawn = nil
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

/// The number of columns of a terminal; 80 if unknown.
private func terminalWidth(_ descriptor: Int32) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
}
