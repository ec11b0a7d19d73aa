#if AllTests
import HTTPChainCore
import Testing

@testable import HTTPChainProgress

private enum Step {
    case begin(TransferProgress.Direction, Int64?, attempt: Int? = nil)
    case advance(Int64)
    case endUpload(whole: Bool)
    case end(TransferProgress.State)
}

private struct Story: CustomTestStringConvertible {
    let name: String
    let steps: [Step]
    let reports: [String]
    var testDescription: String { name }
}

private let stories = [
    Story(
        name: "a download of known size",
        steps: [.begin(.download, 10), .advance(4), .advance(10), .end(.finished)],
        reports: ["down 0/10", "down 4/10", "down 10/10", "down 10/10 finished"]
    ),
    Story(
        name: "a download of unknown size is whole at its end",
        steps: [.begin(.download, nil), .advance(4), .end(.finished)],
        reports: ["down 0/?", "down 4/?", "down 4/4 finished"]
    ),
    Story(
        name: "nothing at all has a first and a last report",
        steps: [.begin(.download, 0), .end(.finished)],
        reports: ["down 0/0", "down 0/0 finished"]
    ),
    Story(
        name: "an end before the beginning has both reports",
        steps: [.end(.failed)],
        reports: ["down 0/?", "down 0/? failed"]
    ),
    Story(
        name: "more than expected shows that the size was wrong",
        steps: [.begin(.download, 3), .advance(5), .end(.finished)],
        reports: ["down 0/3", "down 5/?", "down 5/5 finished"]
    ),
    Story(
        name: "less than expected at the end was the whole",
        steps: [.begin(.download, 9), .advance(5), .end(.finished)],
        reports: ["down 0/9", "down 5/9", "down 5/5 finished"]
    ),
    Story(
        name: "a negative size is no size",
        steps: [.begin(.download, -1), .end(.cancelled)],
        reports: ["down 0/?", "down 0/? cancelled"]
    ),
    Story(
        name: "a count that goes back is passed over",
        steps: [.begin(.download, 9), .advance(5), .advance(3), .advance(5), .advance(6)],
        reports: ["down 0/9", "down 5/9", "down 6/9"]
    ),
    Story(
        name: "nothing comes after the end",
        steps: [
            .begin(.download, 1), .end(.cancelled), .advance(1), .begin(.download, 1), .end(.finished), .end(.failed),
        ],
        reports: ["down 0/1", "down 0/1 cancelled"]
    ),
    Story(
        name: "an upload comes before a download",
        steps: [
            .begin(.upload, 4), .advance(4), .endUpload(whole: true), .advance(9), .begin(.download, 2), .advance(2),
            .end(.finished),
        ],
        reports: ["up 0/4", "up 4/4", "up 4/4 finished", "down 0/2", "down 2/2", "down 2/2 finished"]
    ),
    Story(
        name: "a size that the head tells is told at once",
        steps: [.begin(.download, nil), .begin(.download, 7), .end(.finished)],
        reports: ["down 0/?", "down 0/7", "down 0/0 finished"]
    ),
    Story(
        name: "a head that tells nothing new is not told",
        steps: [.begin(.download, nil), .begin(.download, nil), .end(.failed)],
        reports: ["down 0/?", "down 0/? failed"]
    ),
    Story(
        name: "an attempt begins at 0 with its number",
        steps: [
            .begin(.upload, 4), .advance(3), .begin(.upload, 4, attempt: 2), .advance(1), .endUpload(whole: false),
        ],
        reports: [
            "up 0/4", "up 3/4", "up 0/4, attempt 2", "up 1/4, attempt 2", "up 1/4 cancelled, attempt 2",
        ]
    ),
    Story(
        name: "an upload that is known to be whole counts to its end",
        steps: [.begin(.upload, 4), .advance(1), .endUpload(whole: true)],
        reports: ["up 0/4", "up 1/4", "up 4/4 finished"]
    ),
    Story(
        name: "what fails after a whole upload is the answer",
        steps: [.begin(.upload, 1), .advance(1), .endUpload(whole: true), .end(.failed)],
        reports: ["up 0/1", "up 1/1", "up 1/1 finished", "down 0/?", "down 0/? failed"]
    ),
    Story(
        name: "what fails within an upload is the upload",
        steps: [.begin(.upload, 2), .advance(1), .end(.failed)],
        reports: ["up 0/2", "up 1/2", "up 1/2 failed"]
    ),
]

@Suite("The rules")
struct RuleTests {
    @Test("A call's state gives the reports of its story", arguments: stories)
    fileprivate func state(story: Story) {
        var state = ProgressState(call: 1, view: .consumer, throttle: ProgressThrottle(perSecond: 0))
        var reports: [TransferProgress] = []
        var direction = TransferProgress.Direction.upload
        for step in story.steps {
            switch step {
            case .begin(let new, let expected, let attempt):
                direction = new
                reports += [state.begin(new, expected: expected, attempt: attempt, at: .zero)].compactMap(\.self)
            case .advance(let total):
                reports += [state.advance(direction, to: total, at: .zero)].compactMap(\.self)
            case .endUpload(let isWhole):
                reports += [state.endUpload(isWhole: isWhole, at: .zero)].compactMap(\.self)
            case .end(let end):
                reports += state.end(end, at: .zero)
            }
        }
        #expect(reports.map(\.line) == story.reports)
        for report in reports where report.isFinished { #expect(report.fraction == 1) }
        #expect(reports.dropLast().allSatisfy { !$0.isLast })
    }

    @Test("The fraction is known where the size is", arguments: [(0, 0.0), (5, 0.5), (10, 1.0)])
    func fraction(completed: Int64, fraction: Double) throws {
        var state = ProgressState(call: 1, view: .consumer, throttle: ProgressThrottle(perSecond: 0))
        let maybeFirst = state.begin(.download, expected: 10, at: .zero)
        let first = try #require(maybeFirst)
        let report = state.advance(.download, to: completed, at: .zero) ?? first
        #expect(report.fraction == fraction)
        let maybeUnknown = state.begin(.download, expected: nil, at: .zero)
        let unknown = try #require(maybeUnknown)
        #expect(unknown.fraction == nil && unknown.estimatedRemaining == nil && unknown.expected == nil)
    }

    @Test("The rest is estimated from the speed, and the last report has the average")
    func estimate() throws {
        var state = ProgressState(call: 1, view: .consumer, throttle: ProgressThrottle(perSecond: 0))
        _ = state.begin(.download, expected: 1000, at: .seconds(50))
        let maybe = state.advance(.download, to: 500, at: .seconds(55))
        let half = try #require(maybe)
        #expect(half.bytesPerSecond == 100)
        #expect(half.estimatedRemaining == .seconds(5))
        #expect(half.elapsed == .seconds(5))
        let last = state.end(.finished, at: .seconds(70))[0]
        #expect(last.bytesPerSecond == 25)
        #expect(last.estimatedRemaining == .zero)
    }

    @Test("A rest that nobody can wait for is not estimated")
    func endlessRest() throws {
        var state = ProgressState(call: 1, view: .consumer, throttle: ProgressThrottle(perSecond: 0))
        _ = state.begin(.download, expected: .max, at: .zero)
        let maybe = state.advance(.download, to: 1, at: .seconds(1))
        let report = try #require(maybe)
        #expect(report.estimatedRemaining == nil)
    }

    @Test("Reports are held to their rate, by time alone")
    func throttle() {
        var throttle = ProgressThrottle(perSecond: 4)
        let times = stride(from: 0, through: 1000, by: 50).filter { throttle.admits(at: .milliseconds($0)) }
        #expect(times == [0, 250, 500, 750, 1000])
    }

    @Test("A report that goes out in any case counts", arguments: [(100, false), (249, false), (250, true)])
    func forced(milliseconds: Int, isAdmitted: Bool) {
        var throttle = ProgressThrottle(perSecond: 4)
        throttle.pass(at: .zero)
        #expect(throttle.admits(at: .milliseconds(milliseconds)) == isAdmitted)
    }

    @Test("A rate that makes no sense means every report", arguments: [0, -1, .infinity, .nan])
    func strangeRates(rate: Double) {
        var throttle = ProgressThrottle(perSecond: rate)
        #expect(throttle.admits(at: .zero) && throttle.admits(at: .zero))
    }

    @Test("An attempt, a change of direction and the end are told whatever the rate")
    func alwaysTold() {
        var state = ProgressState(call: 1, view: .wire, throttle: ProgressThrottle(perSecond: 1))
        var lines: [String?] = []
        lines.append(state.begin(.upload, expected: 9, at: .zero)?.line)
        lines.append(state.advance(.upload, to: 1, at: .zero)?.line)
        lines.append(state.begin(.upload, expected: 9, attempt: 2, at: .zero)?.line)
        lines.append(state.endUpload(isWhole: true, at: .zero)?.line)
        lines.append(state.begin(.download, expected: 1, at: .zero)?.line)
        lines += state.end(.finished, at: .zero).map(\.line)
        let expected: [String?] = [
            "up 0/9", nil, "up 0/9, attempt 2", "up 9/9 finished, attempt 2", "down 0/1, attempt 2",
            "down 0/0 finished, attempt 2",
        ]
        #expect(lines == expected)
    }

    @Test("A steady speed is measured as it is, whatever the steps", arguments: [1, 20, 100, 700, 5000])
    func steadySpeed(milliseconds: Int64) throws {
        var throughput = Throughput(from: .seconds(9))
        for step in 1...1000 as ClosedRange<Int64> {
            throughput.record(step * milliseconds * 8, at: .seconds(9) + .milliseconds(step * milliseconds))
        }
        let speed = try #require(throughput.bytesPerSecond)
        #expect(abs(speed - 8000) < 8)
    }

    @Test("There is no speed before there is time")
    func noSpeed() {
        var throughput = Throughput(from: .zero)
        #expect(throughput.bytesPerSecond == nil)
        throughput.record(1 << 40, at: .zero)
        #expect(throughput.bytesPerSecond == nil)
    }

    @Test("A speed that changes is followed within seconds, and one burst does not shake it")
    func changingSpeed() throws {
        var throughput = Throughput(from: .zero)
        var total: Int64 = 0
        func second(_ bytes: Int64, _ number: Int) -> Double {
            total += bytes
            throughput.record(total, at: .seconds(number))
            return throughput.bytesPerSecond ?? 0
        }
        for number in 1...10 { _ = second(1000, number) }
        #expect(second(4000, 11) < 2000)
        for number in 12...25 { _ = second(100, number) }
        #expect(second(100, 26) < 200)
    }
}

@Suite("Reports that wait")
struct BufferTests {
    private func report(_ completed: Int64, attempt: Int = 1, end: TransferProgress.State? = nil) -> TransferProgress {
        TransferProgress(.download, completed: completed, expected: 100, state: end ?? .running, attempt: attempt)
    }

    private func contents(_ buffer: ProgressBuffer) -> [String] {
        var buffer = buffer
        var lines: [String] = []
        while let report = buffer.popFirst() { lines.append(report.line) }
        return lines
    }

    @Test("The newest takes the place of the one before, but not of a first or a last one")
    func coalescing() {
        var buffer = ProgressBuffer()
        for completed in 0...9 as ClosedRange<Int64> { buffer.append(report(completed)) }
        buffer.append(report(0, attempt: 2))
        buffer.append(report(7, attempt: 2))
        buffer.append(report(8, attempt: 2))
        buffer.append(report(9, attempt: 2, end: .cancelled))
        let expected = [
            "down 0/100", "down 9/100", "down 0/100, attempt 2", "down 8/100, attempt 2",
            "down 9/100 cancelled, attempt 2",
        ]
        #expect(contents(buffer) == expected)
    }

    @Test("The queue of reports is bounded, and keeps the last")
    func bound() {
        var buffer = ProgressBuffer()
        for attempt in 1...1000 {
            buffer.append(report(0, attempt: attempt))
            buffer.append(report(1, attempt: attempt, end: .failed))
            #expect(buffer.count <= ProgressBuffer.limit)
        }
        #expect(contents(buffer).last == "down 1/100 failed, attempt 1000")
    }
}
#endif
