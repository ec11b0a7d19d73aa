import HTTPChainCore
import HTTPTypes
import Testing

@Suite("Sets of statuses")
struct StatusSetTests {
    @Test("Numbers, ranges and named sets make a set")
    func literals() {
        let set: StatusSet = [.success, 304, .codes(400...409), .codes(500..<502)]
        for code in [200, 299, 304, 400, 409, 500, 501] { #expect(set.contains(code)) }
        for code in [199, 300, 303, 305, 399, 410, 499, 502] { #expect(!set.contains(code)) }
        #expect(set.contains(HTTPResponse.Status(code: 304, reasonPhrase: "Whatever")))
        #expect(set.description == "200...299, 304, 400...409, 500...501")
        let one: StatusSet = 404
        #expect(one == [404])
        #expect(StatusSet.codes([201, 200, 202]) == StatusSet.codes(200...202))
    }

    @Test("Sets that hold the same codes are equal, however they were made")
    func normalised() {
        #expect(StatusSet.codes(200..<300).union(StatusSet.codes(300..<400)) == StatusSet.codes(200...399))
        #expect(([.codes(200...250), .codes(240...299), 270] as StatusSet) == .success)
        #expect(StatusSet.all.description == "0...999")
        let none: StatusSet = []
        #expect(none.isEmpty)
        #expect(none.description == "none")
    }

    @Test("The named sets are the classes of RFC 9110")
    func classes() {
        let classes: [StatusSet] = [.success, .redirection, .clientError, .serverError]
        for (index, set) in classes.enumerated() {
            for code in 0..<1000 { #expect(set.contains(code) == (code / 100 == index + 2)) }
        }
    }

    @Test("A set without another holds the codes that are in the first alone")
    func subtracting() {
        #expect(StatusSet.success.subtracting([204]).description == "200...203, 205...299")
        #expect(StatusSet.success.subtracting([.codes(190..<210), .codes(290...310)]).description == "210...289")
        #expect(StatusSet.success.subtracting(.all) == [])
        #expect(StatusSet.success.subtracting(.clientError) == .success)
    }

    @Test("What is not a status code is left out")
    func outside() {
        #expect(StatusSet.codes([-1, 1000, .max, .min]).isEmpty)
        #expect(StatusSet.codes(Int.min...Int.max) == .all)
        #expect(StatusSet.codes(Int.min..<Int.max) == .all)
        #expect(StatusSet.codes(2000...3000).isEmpty)
        #expect(StatusSet.codes(-5 ..< -1).isEmpty)
        #expect(StatusSet.codes(5..<5).isEmpty)
        #expect(!StatusSet.all.contains(1000))
    }
}
