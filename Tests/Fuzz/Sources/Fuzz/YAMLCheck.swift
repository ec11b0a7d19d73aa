import Foundation
import HTTPChainRoutes
import HTTPChainRoutesYAML

/// A file of routes in YAML.
///
/// The routes of an accepted file have their names. The mistakes of another have places, and there are not too many.
func checkYAML(_ input: Input) -> Int32 {
    do throws(RouteTableError) {
        let table = try RouteTable(yaml: input.bytes)
        for name in table.names {
            guard let route = try? table.route(name) else { continue }
            require(route.name == name, "a route has another name")
        }
    } catch {
        require(!error.mistakes.isEmpty, "an error without a mistake")
        require(error.mistakes.count <= 200, "too many mistakes")
        for mistake in error.mistakes {
            require((mistake.line ?? 1) >= 1 && (mistake.column ?? 1) >= 1, "\(mistake) has no place")
        }
    }
    return 0
}
