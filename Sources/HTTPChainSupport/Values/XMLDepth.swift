#if XML
package import Foundation
#if canImport(FoundationXML)
import FoundationXML
#endif

/// Checks the declarations and the nesting depth of an XML document before a recursive decoder reads it.
package enum XMLDepth {
    /// Checks a document.
    ///
    /// The elements are counted with the same parser that XMLCoder uses. After most mistakes in the markup, that parser
    /// continues, and it may then find elements inside comments, quoted text and declarations. Only the parser itself
    /// can count those.
    ///
    /// - Throws: A `DecodingError` if elements are nested deeper than ``DocumentDepth/xml``; the errors of
    ///   ``XMLNesting/checkDeclarations(_:)``.
    package static func check(_ document: Data) throws(DecodingError) {
        try XMLNesting.checkDeclarations(document)
        let parser = XMLParser(data: document)
        let counter = Counter()
        parser.delegate = counter
        _ = parser.parse()
        guard counter.depth <= DocumentDepth.xml else { throw DocumentDepth.exceeded(DocumentDepth.xml) }
    }

    /// Counts the open elements, and stops parsing if there are too many.
    private final class Counter: NSObject, XMLParserDelegate {
        private(set) var depth = 0

        func parser(
            _ parser: XMLParser,
            didStartElement elementName: String,
            namespaceURI: String?,
            qualifiedName qName: String?,
            attributes attributeDict: [String: String]
        ) {
            guard depth <= DocumentDepth.xml else { return }
            depth += 1
            if depth > DocumentDepth.xml { parser.abortParsing() }
        }

        func parser(
            _ parser: XMLParser,
            didEndElement elementName: String,
            namespaceURI: String?,
            qualifiedName qName: String?
        ) {
            if depth <= DocumentDepth.xml { depth = max(0, depth - 1) }
        }
    }
}
#endif
