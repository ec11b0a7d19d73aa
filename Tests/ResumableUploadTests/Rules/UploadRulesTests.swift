#if AllTests
import Foundation
import HTTPChainCore
import Testing

@testable import HTTPChainResumableUpload

@Suite("The rules of an upload", .timeLimit(.minutes(10)))
struct UploadRulesTests {
    private static let tus = UploadPlan(length: 100, completesByOffset: true, lostStatuses: [403, 404, 410])
    private static let draft = UploadPlan(length: 100, completesByOffset: false)
    private static let url = "https://example.com/uploads/1"

    private static func answer(_ status: Int, _ change: (inout UploadAnswer) -> Void = { _ in }) -> UploadAnswer {
        var answer = UploadAnswer(status: status)
        change(&answer)
        return answer
    }

    /// Rules whose upload was created and has this offset.
    private static func rules(_ plan: UploadPlan, at offset: Int64 = 0) -> UploadRules {
        var rules = UploadRules(plan, resuming: UploadPosition(url: url))
        _ = rules.take(answer(200) { $0.offset = offset })
        return rules
    }

    /// One line of the table: what is answered to an append, and what follows.
    struct Line: Sendable, CustomStringConvertible {
        let description: String
        let plan: UploadPlan
        let answer: UploadAnswer
        let verdict: UploadVerdict
        let next: UploadAction

        init(
            _ description: String,
            _ plan: UploadPlan,
            _ answer: UploadAnswer,
            _ verdict: UploadVerdict,
            _ next: UploadAction
        ) {
            self.description = description
            self.plan = plan
            self.answer = answer
            self.verdict = verdict
            self.next = next
        }
    }

    /// The append that was answered: the rest of the content.
    private static let rest = UploadAction.append(40..<100, completes: true)

    static let appends: [Line] = [
        Line("tus: all of it is acknowledged", tus, answer(204) { $0.offset = 100 }, .finish, rest),
        Line(
            "tus: a part is acknowledged",
            tus,
            answer(204) { $0.offset = 70 },
            .tryAgain(asked: nil),
            .append(70..<100, completes: true)
        ),
        Line("tus: no offset", tus, answer(204), .tryAgain(asked: nil), .findOffset),
        Line("tus: another offset", tus, answer(409), .tryAgain(asked: nil), .findOffset),
        Line("tus: a checksum that does not fit", tus, answer(460), .tryAgain(asked: nil), .findOffset),
        Line(
            "tus: more than there is",
            tus,
            answer(204) { $0.offset = 101 },
            .fail(.offsetBeyondEnd(offset: 101, length: 100)),
            rest
        ),
        Line("tus: gone", tus, answer(410), .tryAgain(asked: nil), .create(0..<0)),
        Line("tus: forbidden is the answer", tus, answer(403), .finish, rest),
        Line("draft: complete", draft, answer(200) { $0.isComplete = true }, .finish, rest),
        Line("draft: complete, and refused by who uses it", draft, answer(500) { $0.isComplete = true }, .finish, rest),
        Line("draft: success, and not said to be complete", draft, answer(204), .tryAgain(asked: nil), .findOffset),
        Line(
            "draft: the offset that is expected",
            draft,
            answer(409) { $0.offset = 60 },
            .tryAgain(asked: nil),
            .append(60..<100, completes: true)
        ),
        Line(
            "draft: the offset that a problem tells",
            draft,
            answer(409) { $0.problem = .mismatchingOffset(expected: 50) },
            .tryAgain(asked: nil),
            .append(50..<100, completes: true)
        ),
        Line("draft: a conflict with no offset", draft, answer(409), .tryAgain(asked: nil), .findOffset),
        Line(
            "draft: completed before",
            draft,
            answer(400) { $0.problem = .completed },
            .tryAgain(asked: nil),
            .findOffset
        ),
        Line(
            "draft: a length that does not fit",
            draft,
            answer(400) { $0.problem = .inconsistentLength },
            .finish,
            rest
        ),
        Line(
            "busy, with a wait",
            draft,
            answer(503) { $0.retryAfter = .seconds(3) },
            .tryAgain(asked: .seconds(3)),
            .findOffset
        ),
        Line("too large, and as small as it gets", tus, answer(413), .finish, rest),
    ]

    @Test("The answer to an append decides what follows", arguments: appends)
    func append(line: Line) {
        var rules = Self.rules(line.plan, at: 40)
        #expect(rules.action == Self.rest)
        #expect(rules.take(line.answer) == line.verdict)
        #expect(rules.action == line.next)
    }

    @Test("An upload is created, sent in parts, and complete when the server has it all")
    func parts() {
        var plan = Self.tus
        plan.partSize = 40
        var rules = UploadRules(plan)
        #expect(rules.action == .create(0..<0))
        #expect(rules.take(Self.answer(201) { $0.location = .found(Self.url) }) == .proceed)
        for (start, end) in [(0, 40), (40, 80), (80, 100)] as [(Int64, Int64)] {
            #expect(rules.action == .append(start..<end, completes: end == 100))
            #expect(rules.take(Self.answer(204) { $0.offset = end }) == (end == 100 ? .finish : .proceed))
        }
        #expect(rules.isComplete)
    }

    @Test("The draft completes an upload whose bytes are all there with an append of nothing")
    func emptyAppend() {
        var rules = Self.rules(Self.draft, at: 100)
        #expect(rules.action == .append(100..<100, completes: true))
        #expect(rules.take(Self.answer(200) { $0.isComplete = true }) == .finish)
    }

    @Test("The first part is sent with the creation where that is asked for")
    func creationWithContent() {
        var plan = Self.tus
        plan.createsWithContent = true
        plan.partSize = 60
        var rules = UploadRules(plan)
        #expect(rules.action == .create(0..<60))
        var ignoring = rules
        let created = Self.answer(201) { $0.location = .found(Self.url) }
        #expect(ignoring.take(created) == .proceed)
        #expect(ignoring.action == .findOffset, "a server that does not say what it took is asked")
        #expect(rules.take(Self.answer(201) { ($0.location, $0.offset) = (.found(Self.url), 60) }) == .proceed)
        #expect(rules.action == .append(60..<100, completes: true))
    }

    @Test(
        "An answer to a creation without a usable upload is an error that says why",
        arguments: [
            (UploadLocation.missing, UploadError.Problem.notCreated(status: 201)), (.unusable, .unusableLocation),
        ]
    )
    func noUpload(location: UploadLocation, problem: UploadError.Problem) {
        var rules = UploadRules(Self.draft)
        #expect(rules.take(Self.answer(201) { $0.location = location }) == .fail(problem))
    }

    @Test("A creation that is refused is the answer, and one that failed for the moment is made again")
    func refusedCreation() {
        var rules = UploadRules(Self.tus)
        #expect(rules.takeFailure(mayHaveArrived: true) == .tryAgain(asked: nil))
        let busy = Self.answer(503) { $0.retryAfter = .seconds(2) }
        #expect(rules.take(busy) == .tryAgain(asked: .seconds(2)))
        #expect(rules.action == .create(0..<0))
        #expect(rules.take(Self.answer(401)) == .finish)
        #expect(rules.take(Self.answer(307)) == .finish)
    }

    @Test("An upload that the server has lost is begun anew, once")
    func lost() {
        var rules = Self.rules(Self.tus)
        _ = rules.take(Self.answer(404))
        #expect(rules.action == .create(0..<0) && rules.restarts == 1 && rules.position == nil)
        _ = rules.take(Self.answer(201) { $0.location = .found(Self.url) })
        #expect(rules.take(Self.answer(404)) == .fail(.lost))
    }

    @Test("An upload that has moved is gone on with where it is, and another redirect is an error")
    func moved() {
        var rules = Self.rules(Self.draft)
        let url = "https://example.com/elsewhere"
        #expect(rules.take(Self.answer(308) { $0.location = .found(url) }) == .tryAgain(asked: nil))
        #expect(rules.action == .findOffset && rules.position?.url == url)
        #expect(rules.take(Self.answer(302) { $0.location = .found(url) }) == .fail(.unusableRedirect(status: 302)))
        #expect(rules.take(Self.answer(307)) == .fail(.unusableRedirect(status: 307)))
        #expect(UploadRules(Self.draft).position == nil)
    }

    @Test("The server may give an upload more time with each answer")
    func expiry() {
        var rules = Self.rules(Self.draft)
        let (first, later) = (Date(timeIntervalSince1970: 5), Date(timeIntervalSince1970: 9))
        _ = rules.take(Self.answer(503) { $0.expiry = first })
        #expect(rules.position?.expiry == first)
        _ = rules.take(Self.answer(200) { ($0.offset, $0.expiry) = (0, later) })
        #expect(rules.position?.expiry == later)
        _ = rules.take(Self.answer(503))
        #expect(rules.position?.expiry == later, "an answer without a time changes nothing")
    }

    @Test("An upload of another length at the same URL is not gone on with")
    func otherUpload() {
        var rules = UploadRules(Self.tus, resuming: UploadPosition(url: Self.url))
        #expect(rules.take(Self.answer(200) { ($0.offset, $0.length) = (5, 7) }) == .tryAgain(asked: nil))
        #expect(rules.action == .create(0..<0) && rules.resumedAt == 0)
        rules = UploadRules(Self.tus, resuming: UploadPosition(url: Self.url, offset: 5))
        _ = rules.take(Self.answer(200) { $0.offset = 7 })
        _ = rules.take(Self.answer(503))
        _ = rules.take(Self.answer(200) { $0.offset = 9 })
        #expect(rules.resumedAt == 7, "it is what the server had when the call began")
    }

    @Test("An upload that is gone after its last bytes were sent may be complete, and is not begun anew")
    func outcomeUnknown() {
        var rules = Self.rules(Self.tus)
        #expect(rules.takeFailure(mayHaveArrived: true) == .tryAgain(asked: nil))
        #expect(rules.take(Self.answer(404)) == .fail(.outcomeUnknown))
        var failed = Self.rules(Self.tus)
        _ = failed.take(Self.answer(502))
        #expect(
            failed.take(Self.answer(404)) == .fail(.outcomeUnknown),
            "a gateway failed, and the server may not have"
        )
        var other = Self.rules(Self.tus)
        _ = other.takeFailure(mayHaveArrived: true)
        #expect(other.take(Self.answer(200) { $0.offset = 10 }) == .proceed, "it is not complete")
        #expect(other.take(Self.answer(410)) == .tryAgain(asked: nil))
        #expect(other.action == .create(0..<0))
    }

    @Test("An upload that is gone because it is complete is not begun anew")
    func goneComplete() {
        var rules = Self.rules(Self.draft, at: 100)
        #expect(rules.take(Self.answer(410) { $0.problem = .completed }) == .tryAgain(asked: nil))
        #expect(rules.action == .findOffset)
        #expect(rules.take(Self.answer(410)) == .fail(.outcomeUnknown))
    }

    @Test("A creation that may have completed the upload is not sent again, unless the method lets it happen twice")
    func creationWithAllOfIt() {
        var plan = Self.tus
        plan.createsWithContent = true
        let rules = UploadRules(plan)
        #expect(rules.action == .create(0..<100))
        var rest = rules
        #expect(rest.takeFailure(mayHaveArrived: true) == .fail(.outcomeUnknown))
        rest = rules
        #expect(rest.takeFailure(mayHaveArrived: false) == .tryAgain(asked: nil))
        for status in [500, 502, 503, 504] {
            rest = rules
            #expect(rest.take(Self.answer(status)) == .finish, "\(status) may hide that the server acted")
        }
        for status in [408, 423, 425, 429, 503] {
            rest = rules
            let refused = Self.answer(status) { $0.retryAfter = .seconds(1) }
            #expect(rest.take(refused) == .tryAgain(asked: .seconds(1)), "\(status) refuses")
        }
        rest = rules
        _ = rest.take(Self.answer(201) { $0.location = .found(Self.url) })
        #expect(rest.action == .findOffset)
        #expect(rest.take(Self.answer(404)) == .fail(.outcomeUnknown), "it may be gone because it is complete")
        rest = rules
        _ = rest.take(Self.answer(201) { ($0.location, $0.offset) = (.found(Self.url), 40) })
        #expect(rest.take(Self.answer(404)) == .tryAgain(asked: nil), "it had less than all of it")
        plan.isIdempotent = true
        rest = UploadRules(plan)
        #expect(rest.takeFailure(mayHaveArrived: true) == .tryAgain(asked: nil))
        #expect(rest.take(Self.answer(504)) == .tryAgain(asked: nil))
    }

    @Test("A creation of an empty upload completes it, and one with a part does not")
    func whatCompletes() {
        var plan = Self.tus
        plan.length = 0
        var empty = UploadRules(plan)
        #expect(empty.takeFailure(mayHaveArrived: true) == .fail(.outcomeUnknown))
        plan.length = 100
        plan.createsWithContent = true
        plan.partSize = 60
        var part = UploadRules(plan)
        #expect(part.takeFailure(mayHaveArrived: true) == .tryAgain(asked: nil))
        #expect(part.take(Self.answer(504)) == .tryAgain(asked: nil))
        var draft = Self.draft
        draft.length = 0
        var other = UploadRules(draft)
        #expect(other.takeFailure(mayHaveArrived: true) == .tryAgain(asked: nil), "an append completes it")
    }

    @Test("A creation with all of the content that is sent in parts after 413 has completed nothing")
    func reducedAfterAll() {
        var plan = Self.tus
        plan.length = 200_000
        plan.createsWithContent = true
        var rules = UploadRules(plan)
        _ = rules.take(Self.answer(413))
        #expect(rules.takeFailure(mayHaveArrived: true) == .tryAgain(asked: nil) && !rules.mayHaveActed)
        #expect(rules.action == .create(0..<100_000))
    }

    @Test("A last part that was never sent has completed nothing")
    func lastPartUnsent() {
        var rules = Self.rules(Self.tus)
        #expect(rules.takeFailure(mayHaveArrived: false) == .tryAgain(asked: nil))
        #expect(!rules.mayHaveActed)
        #expect(rules.take(Self.answer(404)) == .tryAgain(asked: nil) && rules.action == .create(0..<0))
    }

    @Test("A first part that is too large for the server is halved")
    func reducedCreation() {
        var plan = Self.tus
        plan.length = 200_000
        plan.createsWithContent = true
        var rules = UploadRules(plan)
        #expect(rules.action == .create(0..<200_000))
        #expect(rules.take(Self.answer(413) { $0.retryAfter = .seconds(1) }) == .tryAgain(asked: .seconds(1)))
        #expect(rules.action == .create(0..<100_000))
    }

    @Test("Parts keep to the limits of the server")
    func limits() {
        let limits = UploadLimits(maximumPart: 30, minimumPart: 20)
        #expect(limits.partLength(wanted: .max, remaining: 100) == 30)
        #expect(limits.partLength(wanted: 5, remaining: 100) == 20)
        #expect(limits.partLength(wanted: 5, remaining: 10) == 10, "the last one may be smaller")
        #expect(UploadLimits(maximumPart: 0).partLength(wanted: 5, remaining: 10) == 1)
        #expect(UploadLimits(maximumPart: 5, minimumPart: 9).partLength(wanted: 7, remaining: 10) == 5)
        #expect(UploadLimits().partLength(wanted: .max, remaining: 0) == 0)
    }

    @Test("An upload that the limits do not allow is given up, and the server is told where it has begun")
    func tooLarge() {
        let tooLarge = UploadError.Problem.tooLarge(length: 100, limit: 99)
        var rules = UploadRules(Self.draft)
        let created = Self.answer(201) { ($0.location, $0.limits.maximumSize) = (.found(Self.url), 99) }
        #expect(rules.take(created) == .abandon(tooLarge))
        var plan = Self.tus
        plan.asksForLimits = true
        rules = UploadRules(plan)
        #expect(rules.action == .discover)
        #expect(rules.take(Self.answer(204) { $0.limits.maximumSize = 99 }) == .fail(tooLarge))
        rules = UploadRules(plan)
        #expect(rules.take(Self.answer(405)) == .proceed, "not every server tells")
        #expect(rules.action == .create(0..<0))
    }

    @Test("An extension that is needed and missing is an error")
    func missingExtension() {
        var plan = Self.tus
        plan.asksForLimits = true
        plan.neededExtensions = ["creation", "checksum"]
        var rules = UploadRules(plan)
        #expect(
            rules.take(Self.answer(204) { $0.extensions = ["creation"] }) == .fail(.unsupported(extension: "checksum"))
        )
    }

    @Test("Parts that are too large for the server are halved down to 64 KiB")
    func reduction() {
        var plan = Self.tus
        plan.length = 200_000
        var rules = Self.rules(plan)
        for length in [100_000, 65_536] as [Int64] {
            #expect(rules.take(Self.answer(413)) == .tryAgain(asked: nil))
            _ = rules.take(Self.answer(200) { $0.offset = 0 })
            #expect(rules.action == .append(0..<length, completes: false))
        }
        #expect(rules.take(Self.answer(413)) == .finish)
    }

    @Test("Waits double, are shortened by chance, and end with the attempts, the time or the deadline")
    func patience() {
        var options = ResumableUploadOptions()
        options.backoff = Backoff(base: .seconds(1), cap: .seconds(5))
        var patience = UploadPatience(options)
        let now = UploadPatience.Circumstances(elapsed: .zero)
        let waits = (0..<6).map { _ in patience.wait(now, random: Most()) }
        #expect(waits == [.seconds(1), .seconds(2), .seconds(4), .seconds(5), .seconds(5), nil])
        patience.noteProgress()
        #expect(patience.wait(now, random: Most()) == .seconds(1))
        #expect(patience.attempts == 6)
        var asked = now
        asked.asked = .seconds(9)
        #expect(patience.wait(asked, random: Most()) == .seconds(9))
        asked.asked = .seconds(61)
        #expect(patience.wait(asked, random: Most()) == nil)
        var late = now
        late.remaining = .seconds(1)
        #expect(patience.wait(late, random: Most()) == nil)
        options.totalTime = .seconds(10)
        patience = UploadPatience(options)
        #expect(patience.wait(.init(elapsed: .seconds(9.5)), random: Most()) == nil)
        options.maximumAttempts = 0
        patience = UploadPatience(options)
        #expect(patience.wait(now, random: Most()) == nil)
    }
}

/// The largest number there is.
private struct Most: RandomSource {
    func next() -> UInt64 { .max }
}
#endif
