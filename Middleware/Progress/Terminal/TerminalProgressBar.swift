import HTTPChainCore

/// Draws a ``TransferProgress`` as a line for a terminal.
///
/// This only draws the line; ``TerminalProgressWriter`` writes it to the terminal.
package struct TerminalProgressBar: Sendable {
    private static let shortestBar = 8
    private static let longestBar = 40
    private static let gap = "  "

    /// The text before the numbers, such as a file's name.
    ///
    /// Control characters are shown as spaces.
    package var label: String

    /// Makes a bar.
    ///
    /// - Parameter label: The text before the numbers; empty by default.
    package init(label: String = "") {
        self.label = label
    }

    /// Returns the line for a report, at most `width` columns wide.
    ///
    /// If there isn't enough room, the remaining time is omitted first, then the speed, the bar, the size, and finally
    /// the end of the label. If the size is unknown, there is neither a bar nor a percentage.
    ///
    /// - Parameters:
    ///   - progress: The report.
    ///   - width: The number of columns available.
    package func line(for progress: TransferProgress, width: Int) -> String {
        let label = DisplayWidth.fitted(label, to: .max)
        let lead = [label, standing(progress)].compactMap(\.self).filter { !$0.isEmpty }
        let details = [size(progress), speed(progress), rest(progress)].compactMap(\.self)
        if let fraction = progress.fraction {
            for count in stride(from: details.count, to: 0, by: -1) {
                let rest = Array(details.prefix(count))
                let used = DisplayWidth.of((lead + rest).joined(separator: Self.gap)) + Self.gap.utf8.count + 2
                guard width - used >= Self.shortestBar else { continue }
                let bar = bar(fraction, min(width - used, Self.longestBar))
                return (lead + ["[\(bar)]"] + rest).joined(separator: Self.gap)
            }
        }
        // If there is no room for a bar, only the size is shown.
        let longest = progress.fraction == nil ? details.count : 1
        for count in stride(from: longest, through: standing(progress) == nil ? 1 : 0, by: -1) {
            let line = (lead + details.prefix(count)).joined(separator: Self.gap)
            if DisplayWidth.of(line) <= width { return line }
        }
        return shortened(label, standing(progress) ?? size(progress), to: width)
    }

    private func shortened(_ label: String, _ number: String, to width: Int) -> String {
        let room = width - DisplayWidth.of(number) - Self.gap.utf8.count
        guard room > 0, !label.isEmpty else { return DisplayWidth.fitted(number, to: width) }
        return DisplayWidth.fitted(label, to: room) + Self.gap + number
    }

    private func bar(_ fraction: Double, _ width: Int) -> String {
        let done = Int((min(max(fraction, 0), 1) * Double(width)).rounded(.down))
        if done == width { return String(repeating: "=", count: width) }
        return String(repeating: "=", count: done) + ">" + String(repeating: " ", count: width - done - 1)
    }

    /// The completed percentage, the state if the transfer failed or was cancelled, or `nil` if unknown.
    private func standing(_ progress: TransferProgress) -> String? {
        switch progress.state {
        case .failed: return "failed"
        case .cancelled: return "cancelled"
        case .running, .finished:
            guard let fraction = progress.fraction else { return nil }
            let text = "\(Int((min(max(fraction, 0), 1) * 100).rounded(.down)))%"
            return String(repeating: " ", count: max(0, 4 - text.utf8.count)) + text
        }
    }

    private func size(_ progress: TransferProgress) -> String {
        let completed = ByteCount(progress.completed).abbreviated
        guard let expected = progress.expected, progress.state != .finished else { return completed }
        return "\(completed) of \(ByteCount(expected).abbreviated)"
    }

    private func speed(_ progress: TransferProgress) -> String? {
        guard let rate = progress.bytesPerSecond, rate >= 0, rate < 1e15 else { return nil }
        return "\(ByteCount(Int64(rate)).abbreviated)/s"
    }

    /// The remaining time or, at the end, the elapsed time, such as "0:06" or "1:02:03".
    private func rest(_ progress: TransferProgress) -> String? {
        guard let time = progress.isFinished ? progress.elapsed : progress.estimatedRemaining else { return nil }
        let seconds = Int64(time.bounded.inSeconds.rounded())
        let minutes = "\(seconds / 60 % 60)"
        let rest = "\(seconds % 60)".leftPadded
        return seconds < 3600 ? "\(minutes):\(rest)" : "\(seconds / 3600):\(minutes.leftPadded):\(rest)"
    }
}

extension String {
    fileprivate var leftPadded: String { utf8.count < 2 ? "0" + self : self }
}
