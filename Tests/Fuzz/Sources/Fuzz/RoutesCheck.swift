import Foundation
import HTTPChainCore
import HTTPChainRoutes
import HTTPChainURLBuilder

/// A file of routes.
///
/// What is accepted is JSON for others too, and its routes say what the file says; what is not has mistakes that lie in
/// the file.
func checkRoutes(_ input: Input) -> Int32 {
    do throws(RouteTableError) {
        let table = try RouteTable(json: input.bytes)
        let file = try? JSONDecoder().decode(JSONValue.self, from: input.bytes)
        let hasMark = input.bytes.starts(with: [0xEF, 0xBB, 0xBF])
        require(hasMark || file != nil, "it was accepted, and is no JSON")
        for name in table.names {
            guard let file, let route = try? table.route(name) else { continue }
            require(route.name == name, "a route has another name")
            require(file["routes"]?[name]?["path"]?.string == route.path, "a route has another path")
            for key in route.extended.keys {
                require(file["routes"]?[name]?[key] != nil, "a key came from nowhere")
            }
            // Every mistake of a path was told before: what is left are values of variables.
            do throws(URLBuilderError) {
                _ = try URLBuilder(base: "https://a.example").url(route.path, URLArguments(path: ["id": "7"]))
            } catch {
                require(!error.description.isEmpty, "an error without a description")
            }
        }
        for warning in table.warnings { checkPlace(of: warning, in: input) }
    } catch {
        require(!error.mistakes.isEmpty, "an error without a mistake")
        require(error.mistakes.count <= 200, "more mistakes than anybody reads")
        for mistake in error.mistakes { checkPlace(of: mistake, in: input) }
    }
    return 0
}

private func checkPlace(of mistake: RouteMistake, in input: Input) {
    let lines = input.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard let line = mistake.line, let column = mistake.column else {
        return require(false, "\(mistake) has no place")
    }
    require(lines.indices.contains(line - 1) || line == 1, "\(mistake) is in no line")
    let length = line <= lines.count ? lines[line - 1].count : 0
    require((1...(length + 1)).contains(column), "\(mistake) is behind the end of its line")
}
