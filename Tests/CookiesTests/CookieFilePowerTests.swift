#if AllTests
import Foundation
import HTTPChainCore
import TestSupport
import Testing

@testable import HTTPChainCookies

@Suite("A jar's file on a machine that loses power", .seeded, .timeLimit(.minutes(10)))
struct CookieFilePowerTests {
    private let path = "/jar/cookies"
    private let count = 5

    private func jar(_ disk: MemoryDisk) async throws -> CookieJar {
        try await CookieJar(CookieFile(path: path, keepsSessionCookies: false, access: FileAccess(system: disk)))
    }

    /// Sets one cookie more with each step; the steps are how many there are.
    private func script(_ disk: MemoryDisk) async throws -> [DiskStep<Int>] {
        let jar = try await jar(disk)
        var steps: [DiskStep<Int>] = []
        for number in 1...count {
            let start = disk.count
            let value = String(repeating: "\(number)", count: 400)
            try await jar.set(
                [try Cookie(setCookie: "c\(number)=\(value); Max-Age=86400", from: "https://example.com/")]
            )
            steps.append(DiskStep(number, start..<disk.count))
        }
        return steps
    }

    /// What is wrong with a file: it has the cookies of one step, none after those that were begun.
    private func problem(_ disk: MemoryDisk, _ steps: [DiskStep<Int>], after count: Int) async -> String? {
        let begun = steps.last { $0.hasBegun(after: count) }?.fact ?? 0
        guard let jar = try? await jar(disk) else { return "the file cannot be read" }
        let cookies = await jar.cookies().sorted { $0.name < $1.name }
        for (index, cookie) in cookies.enumerated() {
            let number = index + 1
            guard cookie.name == "c\(number)", cookie.value.revealed == String(repeating: "\(number)", count: 400)
            else {
                return "a mixture"
            }
        }
        return cookies.count <= begun ? nil : "\(cookies.count) cookies, and not up to \(begun)"
    }

    @Test("The jar's file has what was written at one time, whole")
    func whole() async throws {
        let disk = MemoryDisk(directories: ["/jar"])
        let steps = try await script(disk)
        let problem = try await disk.history.firstProblem(images: 30, Seed.numbers()) { left, count in
            if let problem = await self.problem(left, steps, after: count) { return problem }
            // What was left of an earlier change is no obstacle to the next.
            let jar = try await jar(left)
            try await jar.set([try Cookie(setCookie: "n=9; Max-Age=86400", from: "https://example.com/")])
            return jar.fileFailure == nil ? nil : "it cannot be changed any more"
        }
        #expect(problem == nil)
    }

    @Test("The file would be torn, were the wait for the disk left out")
    func needed() async throws {
        let disk = MemoryDisk(directories: ["/jar"])
        let steps = try await script(disk)
        #expect(disk.history.waits.count == count)
        let careless = disk.history.without { _ in true }
        let problem = try await careless.firstProblem(images: 30, Seed.numbers()) { left, count in
            await self.problem(left, steps, after: count)
        }
        #expect(problem != nil)
    }
}
#endif
