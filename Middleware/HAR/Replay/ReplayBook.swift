import Foundation
import HTTPChainCore
import HTTPTypes

/// Decides which entry responds to a request.
///
/// This is a value type that does no I/O.
struct ReplayBook: Sendable {
    /// An entry, and its request in comparable form.
    struct Page: Sendable {
        let entry: HAREntry
        /// The entry's position in the archive, counted from 1.
        let number: Int
        let request: ComparedRequest

        init(entry: HAREntry, number: Int, _ matching: ReplayMatching, _ redaction: Redaction) {
            self.entry = entry
            self.number = number
            request = ComparedRequest(entry.request.redacted(by: redaction), matching.body, isRecorded: true)
        }

        /// Returns the meaning of the entry for a conditional request.
        func condition(of sent: ComparedRequest, _ fields: HTTPFields) -> ReplayCondition.Verdict {
            ReplayCondition.verdict(method: sent.har.method, fields: fields, recorded: entry.response)
        }
    }

    /// A decision about a request.
    enum Verdict: Sendable {
        case answer(Page, ReplayCondition.Verdict)
        case unmatched([NearEntry])
    }

    /// The number of nearest entries shown in an error.
    static let shownEntries = 3

    private(set) var pages: [Page]
    private(set) var uses: [Int]
    /// The number of entries that have been used, if the recorded order is required.
    private var position = 0

    /// Prepares the entries of an archive that have a response or a failure.
    init(_ entries: [HAREntry], matching: ReplayMatching, redaction: Redaction) {
        pages = entries.enumerated().compactMap { index, entry in
            guard entry.response.status > 0 || entry.failure != nil else { return nil }
            return Page(entry: entry, number: index + 1, matching, redaction)
        }
        uses = pages.map { _ in 0 }
    }

    /// Returns the same book for another redaction.
    ///
    /// Used entries stay used.
    func redacted(by redaction: Redaction, matching: ReplayMatching) -> ReplayBook {
        var book = self
        book.pages = pages.map { Page(entry: $0.entry, number: $0.number, matching, redaction) }
        return book
    }

    /// The files that contain requests' contents, by entry number.
    var requestFiles: [Int: String] {
        Dictionary(pages.compactMap { page in page.entry.request.contentFile.map { (page.number, $0) } }) { $1 }
    }

    /// Replaces file names with the files' contents.
    mutating func fill(_ contents: [Int: CapturedBody], matching: ReplayMatching, redaction: Redaction) {
        for (index, page) in pages.enumerated() {
            guard let content = contents[page.number] else { continue }
            var entry = page.entry
            entry.request.postData?.fill(content)
            pages[index] = Page(entry: entry, number: page.number, matching, redaction)
        }
    }

    /// The entries that haven't been used.
    var unused: [Page] { zip(pages, uses).filter { $0.1 == 0 }.map(\.0) }

    /// Finds the entry that responds to a request, and marks it as used.
    ///
    /// - Parameters:
    ///   - sent: The request, redacted.
    ///   - fields: The request's header fields, for its conditions.
    ///   - now: The current time, for the expiry of entries.
    mutating func answer(
        _ sent: ComparedRequest,
        fields: HTTPFields,
        now: Date,
        _ settings: ReplaySettings
    ) -> Verdict {
        var candidates: [(index: Int, condition: ReplayCondition.Verdict)] = []
        for index in pages.indices {
            let page = pages[index]
            if settings.keepsOrder, index != position { continue }
            if page.entry.isOlder(than: settings.expiry, at: now) { continue }
            guard settings.matching.differences(between: sent, and: page.request, stopsEarly: true).isEmpty else {
                continue
            }
            let condition = page.condition(of: sent, fields)
            if case .unfit = condition { continue }
            candidates.append((index, condition))
            if settings.sequence == .first || uses[index] == 0 { break }
        }
        guard let chosen = choose(from: candidates, settings) else {
            return .unmatched(nearest(to: sent, fields: fields, now: now, settings))
        }
        uses[chosen.index] += 1
        if settings.keepsOrder { position = chosen.index + 1 }
        return .answer(pages[chosen.index], chosen.condition)
    }

    private func choose(
        from candidates: [(index: Int, condition: ReplayCondition.Verdict)],
        _ settings: ReplaySettings
    ) -> (index: Int, condition: ReplayCondition.Verdict)? {
        switch settings.sequence {
        case .first: candidates.first
        case .nextThenFail: candidates.first { uses[$0.index] == 0 }
        case .nextThenLast: candidates.first { uses[$0.index] == 0 } ?? candidates.last
        }
    }

    /// Returns the entries nearest to a request, with their differences.
    func nearest(to sent: ComparedRequest, fields: HTTPFields, now: Date, _ settings: ReplaySettings) -> [NearEntry] {
        let rated = pages.indices.map { index -> (entry: NearEntry, distance: Int, same: Int, index: Int) in
            let page = pages[index]
            var differences = settings.matching.differences(between: sent, and: page.request, stopsEarly: false)
            if differences.isEmpty {
                differences += obstacles(index, sent, fields, now, settings)
            }
            let entry = NearEntry(
                number: page.number,
                request: "\(page.request.har.method) \(page.request.har.url)",
                differences: differences
            )
            let same = zip(sent.url.path.utf8, page.request.url.path.utf8).prefix { $0 == $1 }.count
            return (entry, differences.reduce(0) { $0 + $1.distance }, same, index)
        }
        let sorted = rated.sorted { ($0.distance, -$0.same, $0.index) < ($1.distance, -$1.same, $1.index) }
        return sorted.prefix(Self.shownEntries).map(\.entry)
    }

    /// Returns the reasons why a matching entry can't respond.
    private func obstacles(
        _ index: Int,
        _ sent: ComparedRequest,
        _ fields: HTTPFields,
        _ now: Date,
        _ settings: ReplaySettings
    ) -> [ReplayDifference] {
        let page = pages[index]
        if page.entry.isOlder(than: settings.expiry, at: now) {
            return [.init(.turn, "it is of \(HARDate.text(page.entry.started)) and has expired")]
        }
        if case .unfit(let why) = page.condition(of: sent, fields) { return [.init(.condition, why)] }
        if settings.keepsOrder, index != position {
            let due = position < pages.count ? "entry \(pages[position].number) is next" : "all entries have answered"
            return [.init(.turn, "it is not its turn: \(due)")]
        }
        let count = uses[index]
        return [.init(.turn, "it has answered already" + (count > 1 ? ", \(count) times" : ""))]
    }
}

extension HAREntry {
    /// Whether the entry is too old to be replayed.
    ///
    /// Always `false` without an expiry.
    func isOlder(than expiry: Duration?, at now: Date) -> Bool {
        expiry.map { now.timeIntervalSince(started) > $0.inSeconds } ?? false
    }
}

/// An entry that couldn't respond to a request, with the reasons.
package struct NearEntry: Sendable, Hashable, CustomStringConvertible {
    /// The number of the entry in the archive, counted from 1.
    package let number: Int
    /// The method and URL, with secrets redacted.
    package let request: String
    /// The differences.
    package let differences: [ReplayDifference]

    /// The request, followed by the differences.
    package var description: String {
        "entry \(number), \(request)" + differences.map { "\n  - \($0)" }.joined()
    }
}
