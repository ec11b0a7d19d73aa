import HTTPChainCookies
import HTTPChainCore
import HTTPChainSerializer
import HTTPTypes

/// Creates a table from the content of a file, and finds all its mistakes.
struct RouteFileReader {
    private static let maximumRoutes = 10_000

    /// The keys of routes in files of WebApiClient, with the corresponding keys in this package.
    private static let formerKeys: [String: Route.Key] = [
        "serializationName": .serialization, "requestHeaders": .headers, "dataMapper": .mapper,
        "dataMapperRequestRootKeyPath": .requestRootKeyPath, "dataMapperResponseRootKeyPath": .responseRootKeyPath,
        "saveAsResource": .saveAsFile, "cacheIgnoreQueryParameters": .cacheIgnoresQuery,
        "invalidatesCachedRouteNames": .invalidates, "preventUserInteraction": .preventsUserInteraction,
    ]
    /// The other keys in those files, with the corresponding places in this package.
    private static let formerPlaces = [
        "webservice": "routes", "webservice.api": "routes", "App_webservice_protocol": "service.protocol",
        "App_webservice_host": "service.host", "App_webservice_port": "service.port",
    ]

    private(set) var mistakes: [RouteMistake]
    private(set) var warnings: [RouteMistake] = []
    /// The places of properties that can only be checked when all routes are known.
    private var places: [[String]: RouteNode.Place] = [:]

    init(mistakes: [RouteMistake]) { self.mistakes = mistakes }

    /// Reads the table.
    mutating func table(
        _ root: RouteNode?,
        environment: String?,
        overrides: [String: String]
    ) throws(RouteTableError) -> RouteTable {
        guard let root else { throw error }
        var routes: [String: Route] = [:]
        var base: ServiceAddress?
        if let members = object(root, []) {
            base = address(members, environment: environment, overrides: overrides)
            for member in members where !["service", "environments", "routes"].contains(member.key) {
                if let place = Self.formerPlaces[member.key] {
                    let name = member.key == "webservice" ? "webservice.api" : member.key
                    mistake([member.key], member.place, "\"\(name)\" is called \"\(place)\" here; rename it")
                    continue
                }
                warn(
                    [member.key],
                    member.place,
                    "unknown key; the keys here are service, environments and routes"
                )
            }
            if let list = members.first(where: { $0.key == "routes" }) {
                routes = read(list.node)
            } else {
                mistake([], root.place, "there are no routes: the key \"routes\" is missing")
            }
        }
        for route in routes.values {
            for problem in RouteRules.problems(of: route, among: routes, hasBase: base != nil) {
                let path = ["routes", route.name] + [problem.key?.rawValue, problem.part].compactMap(\.self)
                let place = places[path] ?? places[Array(path.prefix(3))] ?? places[Array(path.prefix(2))]
                if problem.isWarning {
                    warn(path, place ?? root.place, problem.text)
                } else {
                    mistake(path, place ?? root.place, problem.text)
                }
            }
        }
        guard mistakes.isEmpty else { throw error }
        return RouteTable(routes: routes, base: base, warnings: Self.inOrder(warnings))
    }

    private var error: RouteTableError { RouteTableError(mistakes: Self.inOrder(mistakes)) }

    /// Returns mistakes in the order of the file.
    private static func inOrder(_ mistakes: [RouteMistake]) -> [RouteMistake] {
        mistakes.sorted {
            ($0.line ?? 0, $0.column ?? 0, $0.path, $0.text) < ($1.line ?? 0, $1.column ?? 0, $1.path, $1.text)
        }
    }

    private mutating func mistake(_ path: [String], _ place: RouteNode.Place, _ text: String) {
        mistakes.add(path, place, text)
    }

    private mutating func warn(_ path: [String], _ place: RouteNode.Place, _ text: String) {
        warnings.add(path, place, text)
    }

    private mutating func wrong(_ node: RouteNode, _ path: [String], _ wanted: String) {
        mistake(path, node.place, "\(node.kind) instead of \(wanted)")
    }

    private mutating func object(_ node: RouteNode, _ path: [String]) -> [RouteNode.Member]? {
        if case .object(let members) = node.value { return members }
        wrong(node, path, "an object")
        return nil
    }

    private mutating func string(_ node: RouteNode, _ path: [String]) -> String? {
        if case .string(let text) = node.value { return text }
        wrong(node, path, "a string")
        return nil
    }

    private mutating func truth(_ node: RouteNode, _ path: [String]) -> Bool? {
        if case .bool(let value) = node.value { return value }
        wrong(node, path, "true or false")
        return nil
    }

    // MARK: The service

    private mutating func address(
        _ members: [RouteNode.Member],
        environment: String?,
        overrides: [String: String]
    ) -> ServiceAddress? {
        var sections: [(path: [String], node: RouteNode)] = []
        if let service = members.first(where: { $0.key == "service" }) { sections.append((["service"], service.node)) }
        let environments = members.first { $0.key == "environments" }
        var known: [RouteNode.Member] = []
        if let environments {
            known = object(environments.node, ["environments"]) ?? []
            // The other environments are only checked for mistakes.
            for other in known where other.key != environment {
                var address = ServiceAddress(host: "localhost")
                read(other.node, ["environments", other.key], into: &address)
            }
        }
        if let environment {
            if let section = known.first(where: { $0.key == environment }) {
                sections.append((["environments", environment], section.node))
            } else {
                let place = environments?.place ?? RouteNode.Place(line: 1, column: 1)
                let names = known.map(\.key).joined(separator: ", ")
                let text =
                    "there is no environment \"\(environment)\""
                    + (names.isEmpty ? "" : "; the environments are \(names)")
                mistake(["environments"], place, text)
            }
        }
        guard !sections.isEmpty || !overrides.isEmpty else { return nil }
        var address = ServiceAddress(host: "")
        for section in sections { read(section.node, section.path, into: &address) }
        let place = sections.last?.node.place ?? RouteNode.Place(line: 1, column: 1)
        for (key, text) in overrides.sorted(by: { $0.key < $1.key }) {
            switch key {
            case "protocol": address.scheme = text.lowercased()
            case "host": address.host = text
            case "path": address.path = text
            case "port" where Int(text) != nil: address.port = Int(text)
            case "port": mistake(["overrides", key], place, "\"\(text)\" is not a port; ports are 1 to 65535")
            default:
                mistake(["overrides", key], place, "unknown key; the keys here are protocol, host, port and path")
            }
        }
        let path = sections.last?.path ?? ["overrides"]
        for problem in RouteRules.addressProblems(of: address) {
            let known = sections.reversed().compactMap { places[$0.path + [problem.key]] }
            mistake(path + [problem.key], known.first ?? place, problem.text)
        }
        return address
    }

    private mutating func read(_ node: RouteNode, _ path: [String], into address: inout ServiceAddress) {
        for member in object(node, path) ?? [] {
            let path = path + [member.key]
            places[path] = member.node.place
            switch member.key {
            case "protocol": if let text = string(member.node, path) { address.scheme = text.lowercased() }
            case "host": if let text = string(member.node, path) { address.host = text }
            case "path": if let text = string(member.node, path) { address.path = text }
            case "port":
                if case .number(let number) = member.node.value, let port = Int(exactly: number) {
                    address.port = port
                } else {
                    wrong(member.node, path, "a whole number")
                }
            default: warn(path, member.place, "unknown key; the keys here are protocol, host, port and path")
            }
        }
    }

    // MARK: Routes

    private mutating func read(_ list: RouteNode) -> [String: Route] {
        guard let members = object(list, ["routes"]) else { return [:] }
        guard members.count <= Self.maximumRoutes else {
            mistake(["routes"], list.place, "there are more than \(Self.maximumRoutes) routes")
            return [:]
        }
        var routes: [String: Route] = [:]
        for member in members { routes[member.key] = route(member) }
        return routes
    }

    private mutating func route(_ member: RouteNode.Member) -> Route {
        let path = ["routes", member.key]
        var route = Route(member.key, "")
        places[path] = member.place
        guard let properties = object(member.node, path) else { return Route(member.key, "/") }
        if !properties.contains(where: { $0.key == Route.Key.path.rawValue }) {
            mistake(path, member.place, "the key \"path\" is missing")
            route.path = "/"
        }
        var serialization: Route.Serialization?
        for property in properties {
            places[path + [property.key]] = property.node.place
            if let key = Route.Key(rawValue: property.key) {
                read(property.node, key, path + [property.key], into: &route, &serialization)
            } else if let key = Self.formerKeys[property.key] {
                let text = "\"\(property.key)\" is called \"\(key.rawValue)\" here; rename it"
                mistake(path + [property.key], property.place, text)
            } else {
                route.extended[property.key] = property.node.json
                if let near = Route.Key.allCases.first(where: { $0.rawValue.isNearly(property.key) }) {
                    warn(
                        path + [property.key],
                        property.place,
                        "did you mean \"\(near.rawValue)\"? The key is kept unchanged"
                    )
                }
            }
        }
        route.serialization = serialization ?? Route.serialization(for: route.method)
        return route
    }

    private mutating func read(
        _ node: RouteNode,
        _ key: Route.Key,
        _ path: [String],
        into route: inout Route,
        _ serialization: inout Route.Serialization?
    ) {
        switch key {
        case .method:
            guard let text = string(node, path) else { return }
            guard let method = HTTPRequest.Method(text) else {
                return mistake(path, node.place, "\"\(text)\" is not a method")
            }
            if text != text.uppercased() {
                return mistake(path, node.place, "methods are in capitals: write \(text.uppercased())")
            }
            route.method = method
        case .path: route.path = string(node, path) ?? "/"
        case .serialization:
            guard let text = string(node, path) else { return }
            serialization = Route.Serialization(rawValue: text)
            if serialization == nil {
                let known = Route.Serialization.allCases.map(\.rawValue).joined(separator: ", ")
                mistake(path, node.place, "\"\(text)\" is not a serialization; use one of \(known)")
            }
        case .contentType: route.contentType = string(node, path)
        case .headers: route.headers = fields(node, path)
        case .mapper: route.mapper = string(node, path)
        case .requestRootKeyPath: string(node, path).map { route.requestRootKeyPath = BodyKeyPath($0) }
        case .responseRootKeyPath: string(node, path).map { route.responseRootKeyPath = BodyKeyPath($0) }
        case .gzip: truth(node, path).map { route.gzip = $0 }
        case .saveAsFile: truth(node, path).map { route.saveAsFile = $0 }
        case .cacheTTL:
            guard case .number(let seconds) = node.value else { return wrong(node, path, "a number of seconds") }
            guard abs(seconds) <= 1e10 else { return mistake(path, node.place, "a lifetime is at most 10^10 seconds") }
            route.cacheTTL = .milliseconds(Int64(seconds * 1000))
        case .cacheIgnoresQuery: truth(node, path).map { route.cacheIgnoresQuery = $0 }
        case .invalidates: route.invalidates = names(node, path)
        case .progress: truth(node, path).map { route.progress = $0 }
        case .preventsUserInteraction: truth(node, path).map { route.preventsUserInteraction = $0 }
        case .authenticator: route.authenticator = string(node, path)
        case .cookies: readCookies(node, path, into: &route)
        }
    }

    /// Reads how cookies are used (by name), or an object of cookies.
    private mutating func readCookies(_ node: RouteNode, _ path: [String], into route: inout Route) {
        switch node.value {
        case .string(let text):
            route.cookieUse = Route.cookieUses.first { $0.key == text }?.value
            if route.cookieUse == nil {
                let known = Route.cookieUses.map(\.key).joined(separator: ", ")
                mistake(path, node.place, "\"\(text)\" is not a use of cookies; use one of \(known)")
            }
        case .object(let members):
            for member in members.prefix(RouteRules.maximumCookies + 1) {
                let path = path + [member.key]
                places[path] = member.place
                if let value = string(member.node, path) { route.cookies.append(CallCookie(member.key, Secret(value))) }
            }
        default: wrong(node, path, "a use of cookies, or an object of cookies by name")
        }
    }

    private mutating func names(_ node: RouteNode, _ path: [String]) -> [String] {
        guard case .array(let items) = node.value else {
            wrong(node, path, "an array of route names")
            return []
        }
        var names: [String] = []
        for (index, item) in items.enumerated() {
            let path = path + ["\(index)"]
            places[path] = item.place
            if let name = string(item, path) { names.append(name) }
        }
        return names
    }

    private mutating func fields(_ node: RouteNode, _ path: [String]) -> HTTPFields {
        var fields = HTTPFields()
        for member in object(node, path) ?? [] {
            let path = path + [member.key]
            guard let name = HTTPField.Name(member.key) else {
                mistake(path, member.place, "this is not a header field name")
                continue
            }
            guard let value = string(member.node, path) else { continue }
            guard HTTPField.isValidValue(value) else {
                mistake(path, member.node.place, "this is not a header field value")
                continue
            }
            guard fields.count < 1_000 else {
                mistake(path, member.place, "there are more than 1000 header fields")
                return fields
            }
            fields.append(HTTPField(name: name, value: value))
        }
        return fields
    }
}

extension String {
    /// Whether another word differs only by letter case and one edit.
    ///
    /// Two edits are allowed if it is longer than five letters.
    func isNearly(_ other: String) -> Bool {
        let (one, two) = (Array(lowercased().utf8), Array(other.lowercased().utf8.prefix(40)))
        guard abs(one.count - two.count) <= 2 else { return false }
        // Computes the Levenshtein distance, row by row.
        var row = Array(0...two.count)
        for (index, letter) in one.enumerated() {
            var corner = row[0]
            row[0] = index + 1
            for column in two.indices {
                let change = corner + (two[column] == letter ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = Swift.min(change, Swift.min(corner, row[column]) + 1)
            }
        }
        return row[two.count] <= (one.count > 5 ? 2 : 1)
    }
}
