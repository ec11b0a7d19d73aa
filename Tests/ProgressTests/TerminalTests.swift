#if AllTests
import HTTPChainCore
import HTTPChainProgress
import HTTPChainSupport
import HTTPChainTesting
import TestSupport
import Testing

private func report(
    _ completed: Int64,
    of expected: Int64?,
    after time: Duration = .seconds(4),
    end: TransferProgress.State? = nil
) -> TransferProgress {
    TransferProgress(
        .download,
        completed: completed,
        expected: end == .finished ? completed : expected,
        state: end ?? .running,
        bytesPerSecond: completed > 0 ? Double(completed) / time.inSeconds : nil,
        elapsed: time
    )
}

private struct Drawing: CustomTestStringConvertible {
    let label: String
    let progress: TransferProgress
    let width: Int
    let line: String
    var testDescription: String { line }
}

private let half = report(2_000_000, of: 4_000_000)

private let drawings = [
    Drawing(
        label: "map.zip",
        progress: half,
        width: 80,
        line: "map.zip   50%  [==============>              ]  2.0 MB of 4.0 MB  500 kB/s  0:04"
    ),
    Drawing(
        label: "map.zip",
        progress: half,
        width: 53,
        line: "map.zip   50%  [====>   ]  2.0 MB of 4.0 MB  500 kB/s"
    ),
    Drawing(label: "map.zip", progress: half, width: 44, line: "map.zip   50%  [====>    ]  2.0 MB of 4.0 MB"),
    Drawing(label: "map.zip", progress: half, width: 34, line: "map.zip   50%  2.0 MB of 4.0 MB"),
    Drawing(label: "map.zip", progress: half, width: 20, line: "map.zip   50%"),
    Drawing(label: "map.zip", progress: half, width: 10, line: "map…   50%"),
    Drawing(label: "map.zip", progress: half, width: 5, line: " 50%"),
    Drawing(label: "map.zip", progress: half, width: 0, line: ""),
    Drawing(label: "map.zip", progress: half, width: -4, line: ""),
    Drawing(label: "", progress: half, width: 34, line: " 50%  [====>   ]  2.0 MB of 4.0 MB"),
    Drawing(label: "log", progress: report(2_000_000, of: nil), width: 60, line: "log  2.0 MB  500 kB/s"),
    Drawing(label: "log", progress: report(2_000_000, of: nil), width: 12, line: "log  2.0 MB"),
    Drawing(label: "a long log", progress: report(2_000_000, of: nil), width: 12, line: "a l…  2.0 MB"),
    Drawing(label: "log", progress: report(0, of: nil), width: 60, line: "log  0 bytes"),
    Drawing(
        label: "map.zip",
        progress: report(4_000_000, of: 4_000_000, end: .finished),
        width: 50,
        line: "map.zip  100%  [=========]  4.0 MB  1.0 MB/s  0:04"
    ),
    Drawing(label: "x", progress: report(5, of: 9, end: .failed), width: 12, line: "x  failed"),
    Drawing(
        label: "x",
        progress: report(5, of: nil, end: .cancelled),
        width: 40,
        line: "x  cancelled  5 bytes  1 byte/s"
    ),
    Drawing(label: "地図.zip", progress: half, width: 15, line: "地図.zip   50%"),
    Drawing(label: "地図.zip", progress: half, width: 11, line: "地図…   50%"),
    Drawing(label: "a\u{1B}[2Jb\r\n", progress: half, width: 20, line: "a [2Jb     50%"),
]

@Suite("The terminal's bar", .seeded)
struct TerminalTests {
    @Test("A line shows what there is room for", arguments: drawings)
    fileprivate func lines(drawing: Drawing) {
        let line = TerminalProgressBar(label: drawing.label).line(for: drawing.progress, width: drawing.width)
        #expect(line == drawing.line)
        #expect(DisplayWidth.of(line) <= max(0, drawing.width))
    }

    @Test("No line is wider than there is room, whatever the numbers")
    func widths() {
        let random = Seed.numbers(3)
        let labels = [
            "", "map.zip", "地図地図地図地図", "👩‍👩‍👧 family.jpg", "a\u{0301}ccent", String(repeating: "long", count: 30),
        ]
        for label in labels {
            for width in 0...120 {
                let expected = Int64(random.next() >> 20)
                for progress in [
                    report(Int64(random.next() >> 21), of: expected), report(5, of: nil), report(0, of: 0),
                    report(.max, of: nil, end: .failed), report(.max, of: .max, after: .milliseconds(100)),
                ] {
                    let line = TerminalProgressBar(label: label).line(for: progress, width: width)
                    #expect(DisplayWidth.of(line) <= width)
                }
            }
        }
    }

    @Test(
        "Width is counted in columns",
        arguments: [
            ("abc", 3), ("é", 1), ("e\u{0301}", 1), ("地", 2), ("ﾊ", 1), ("Ａ", 2), ("👍", 2), ("👩‍👩‍👧", 2), ("❤️", 2),
            ("\u{200B}", 0), ("한", 2), ("", 0),
        ]
    )
    func displayWidth(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test("Long times have hours", arguments: [(59, "0:59"), (61, "1:01"), (3661, "1:01:01"), (360_000, "100:00:00")])
    func times(seconds: Int, text: String) {
        let progress = report(1000, of: 1000, after: .seconds(seconds), end: .finished)
        #expect(TerminalProgressBar().line(for: progress, width: 200).hasSuffix("  \(text)"))
    }

    private func writer(
        isTerminal: Bool,
        showing direction: TransferProgress.Direction? = nil,
        every interval: Duration? = .seconds(10)
    ) -> (TerminalProgressWriter, () -> String) {
        let text = Locked("")
        let output = TerminalProgressWriter.Output(isTerminal: isTerminal, width: { 30 }) { new in
            text.withLock { $0 += new }
        }
        let writer = TerminalProgressWriter(
            TerminalProgressBar(label: "x"),
            showing: direction,
            output: output,
            linesEvery: interval
        )
        return (writer, { text.withLock { $0 } })
    }

    @Test("On a terminal the line is drawn again in its place, and left at the end")
    func terminal() throws {
        let (writer, text) = writer(isTerminal: true)
        writer.show(report(0, of: 10))
        writer.show(report(5, of: 10))
        writer.show(report(8, of: 10))
        writer.show(report(10, of: 10, end: .finished))
        let lines = text().split(separator: "\r", omittingEmptySubsequences: false)
        try #require(lines.count == 4 && lines[0] == "")
        #expect(lines[1].hasPrefix("x   50%") && lines[1].hasSuffix("\u{1B}[K"))
        #expect(lines[3].hasPrefix("x  100%") && lines[3].hasSuffix("\u{1B}[K\n"))
    }

    @Test("Elsewhere a line is printed at the beginning, every so often and at the end")
    func noTerminal() {
        let (writer, text) = writer(isTerminal: false)
        writer.show(report(0, of: 100, after: .zero))
        for second in 1...25 { writer.show(report(Int64(second), of: 100, after: .seconds(second))) }
        writer.show(report(100, of: 100, after: .seconds(26), end: .finished))
        let lines = text().split(separator: "\n").map { String($0.prefix(7)) }
        #expect(lines == ["x    1%", "x   11%", "x   21%", "x  100%"])
        #expect(!text().contains("\r") && !text().contains("\u{1B}"))
    }

    @Test("A transfer that ends before its first byte draws nothing", arguments: [true, false])
    func nothingToDraw(isTerminal: Bool) {
        let (writer, text) = writer(isTerminal: isTerminal)
        for direction in [TransferProgress.Direction.upload, .download] {
            writer.show(TransferProgress(direction, completed: 0))
            writer.show(TransferProgress(direction, completed: 0, state: .failed))
        }
        writer.show(TransferProgress(.download, completed: 0, expected: 0, state: .finished))
        #expect(text() == "")
    }

    @Test("One direction alone is shown where that is wanted", arguments: [true, false])
    func oneDirection(isTerminal: Bool) {
        let (writer, text) = writer(isTerminal: isTerminal, showing: .upload)
        writer.show(TransferProgress(.upload, completed: 3, expected: 7))
        writer.show(TransferProgress(.upload, completed: 7, expected: 7, state: .finished))
        writer.show(TransferProgress(.download, completed: 900, expected: 900, state: .finished))
        #expect(text().contains("7 bytes") && !text().contains("900"))
        #expect(text().hasSuffix("\n"))
    }

    @Test("An upload that begins again is drawn in its place, back at the beginning")
    func beginningAgain() {
        let (writer, text) = writer(isTerminal: true)
        writer.show(TransferProgress(.upload, completed: 7, expected: 7))
        writer.show(TransferProgress(.upload, completed: 0, expected: 7, attempt: 2))
        #expect(text().split(separator: "\r").last?.hasPrefix("x    0%") == true && !text().contains("\n"))
    }

    @Test("What is printed stands above the bar, which is drawn again below it")
    func printing() {
        let (writer, text) = writer(isTerminal: true)
        writer.print("before")
        writer.show(report(5, of: 10))
        writer.print("between")
        writer.show(report(10, of: 10, end: .finished))
        writer.print("after")
        // What a terminal shows: a carriage return and the erasing of the line take away what stood there.
        let lines = text().split(separator: "\n").map { line in
            line.split(separator: "\r").last.map { $0.replacing("\u{1B}[K", with: "") } ?? ""
        }
        #expect(lines.count == 4 && lines[0] == "before" && lines[1] == "between" && lines[3] == "after")
        #expect(lines[2].hasPrefix("x  100%"))
        #expect(text().contains("between\nx   50%"))
    }

    @Test("Elsewhere what is printed is a line")
    func printingElsewhere() {
        let (writer, text) = writer(isTerminal: false)
        writer.show(report(5, of: 10))
        writer.print("between")
        #expect(text().hasSuffix("\nbetween\n") && !text().contains("\r"))
    }

    @Test("Elsewhere nothing is printed where that is wanted")
    func silent() {
        let (writer, text) = writer(isTerminal: false, every: nil)
        writer.show(report(0, of: 10))
        writer.show(report(10, of: 10, end: .finished))
        #expect(text() == "")
    }
}
#endif
