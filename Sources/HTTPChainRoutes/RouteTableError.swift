public import HTTPChainCore
import HTTPChainSupport

/// A mistake in a table of routes; its description includes the location and a suggested fix.
public struct RouteMistake: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// The location in the file: "routes.add.method"; empty for the file as a whole.
    package let path: String
    /// The line, counted from 1; `nil` for a table in code.
    public let line: Int?
    /// The column in the line, in characters counted from 1; `nil` for a table in code.
    public let column: Int?
    /// A sentence with the problem and a suggested fix.
    package let text: String

    /// "12:5: routes.add.method: …".
    package var words: String {
        let place = line.map { "\($0):\(column ?? 1): " } ?? ""
        return place + (path.isEmpty ? text : "\(path): \(text)")
    }
}

extension [RouteMistake] {
    /// Adds a mistake in a file.
    ///
    /// - Returns: `false` if there are too many already.
    @discardableResult
    package mutating func add(_ path: [String], _ place: RouteNode.Place, _ text: String) -> Bool {
        guard count < RouteTable.maximumMistakes else { return false }
        let path = path.map { $0.printable(upTo: 100) }.joined(separator: ".")
        append(RouteMistake(path: path, line: place.line, column: place.column, text: text))
        return true
    }
}

/// An error for an invalid table of routes, with all its mistakes.
public struct RouteTableError: ExplainedError, Hashable {
    /// The mistakes, in the order of the file.
    public let mistakes: [RouteMistake]

    package var failedStage: String { "Routes" }
    package var explanation: Explanation {
        let count = mistakes.count == 1 ? "there is a mistake" : "there are \(mistakes.count) mistakes"
        return Explanation(
            ([count + " in the route table"] + mistakes.map { "  \($0.description.printable())" })
                .joined(separator: "\n"),
            "correct the table; none of its routes can be called before"
        )
    }
}

/// An error for an invalid call of a route.
public struct RouteError: ExplainedError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// There is no route with the name.
        case unknownRoute(String, known: [String])
        /// Parameters were passed to a route that sends none.
        case noParameters(route: String)
        /// Parameters and data were passed to a route that can send only one of them.
        case parametersAndData(route: String, serialization: String)
        /// Several data were passed to a route that sends one of them as its content.
        case severalData(route: String, serialization: String)
        /// Data was passed to a route whose method sends none.
        case dataWithoutBody(route: String, method: String)
        /// The parameters for a form, a query or multipart parts aren't an object.
        case notAnObject(route: String)
        /// A variable makes the value of a header field invalid (RFC 9110 §5.5).
        case invalidField(route: String, field: String)
    }

    /// The problem.
    public let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    package var failedStage: String { "Routes" }
    package var explanation: Explanation {
        switch problem {
        case .unknownRoute(let name, let known):
            Explanation(
                "there is no route named \"\(name)\"",
                known.isEmpty ? "the table is empty" : "the routes are \(known.joined(separator: ", "))"
            )
        case .noParameters(let route):
            Explanation(
                "the route \"\(route)\" sends no parameters, but was given some",
                "set its serialization to query, form or json"
            )
        case .parametersAndData(let route, let serialization):
            Explanation(
                "the route \"\(route)\" was given parameters and data, but with the serialization "
                    + "\(serialization) it sends only one of them",
                "set its serialization to form, which sends both as parts, or to query"
            )
        case .severalData(let route, let serialization):
            Explanation(
                "the route \"\(route)\" was given several data, but with the serialization \(serialization) it sends "
                    + "only one",
                "set its serialization to form, which sends all of them as parts"
            )
        case .dataWithoutBody(let route, let method):
            Explanation(
                "the route \"\(route)\" was given data, but \(method) sends none",
                "set its method to POST, PUT or PATCH"
            )
        case .invalidField(let route, let field):
            Explanation(
                "the variables of the route \"\(route)\" make the value of the header field \(field) invalid",
                "remove line breaks and other control characters from the variables"
            )
        case .notAnObject(let route):
            Explanation(
                "the parameters of the route \"\(route)\" are not an object, so they have no names",
                "give an object, such as [\"name\": \"Ada\"]"
            )
        }
    }
}
