import FlyingFox
import Foundation

/// The files of the page, which are part of the program.
enum Page {
    /// Returns the file at a path, or `nil` if there is none.
    static func file(_ path: String) -> HTTPResponse? {
        guard let (type, bytes) = content(path) else { return nil }
        var fields = Receiver.fields(type + "; charset=utf-8")
        // This allows only the page's own scripts and resources, regardless of the content of records.
        fields[HTTPHeader("Content-Security-Policy")] =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        fields[HTTPHeader("Referrer-Policy")] = "no-referrer"
        return HTTPResponse(statusCode: .ok, headers: fields, body: Data(bytes))
    }

    private static func content(_ path: String) -> (type: String, bytes: [UInt8])? {
        switch path {
        case "/": ("text/html", PackageResources.index_html)
        case "/page.css": ("text/css", PackageResources.page_css)
        case "/page.js": ("text/javascript", PackageResources.page_js)
        case "/records.js": ("text/javascript", PackageResources.records_js)
        case "/calls.js": ("text/javascript", PackageResources.calls_js)
        case "/archives.js": ("text/javascript", PackageResources.archives_js)
        case "/traces.js": ("text/javascript", PackageResources.traces_js)
        case "/metrics.js": ("text/javascript", PackageResources.metrics_js)
        case "/list.js": ("text/javascript", PackageResources.list_js)
        case "/views.js": ("text/javascript", PackageResources.views_js)
        case "/text.js": ("text/javascript", PackageResources.text_js)
        case "/examples.js": ("text/javascript", PackageResources.examples_js)
        default: nil
        }
    }
}
