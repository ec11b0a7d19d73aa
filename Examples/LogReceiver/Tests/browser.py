"""The page in headless Chromium."""

import os
import shutil

from harness import PATIENCE, eventually
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


class Page:
    def __init__(self, receiver):
        self.receiver = receiver
        chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        chromedriver = shutil.which("chromedriver")
        if not chromium or not chromedriver:
            raise SystemExit("FAILED  the page cannot be checked: there is no chromium or no chromedriver")
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for argument in ["--headless=new", "--disable-dev-shm-usage", "--window-size=1280,900"]:
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.set_script_timeout(PATIENCE)

    def open(self):
        """The newly opened page, with an empty receiver."""
        self.receiver.clear()
        self.driver.get(self.receiver.url)
        eventually(lambda: self.text("#state"), "live")

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.one(selector).text

    def messages(self):
        return self.run("return [...document.querySelectorAll('.row.record')]"
                        ".sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)"
                        ".map(row => row.querySelector('.message').textContent)")

    def row(self, message):
        rows = self.all(".row.record")
        return next(row for row in rows if row.find_element(By.CSS_SELECTOR, ".message").text == message)

    def call(self, part):
        return next(row for row in self.all(".row.call") if part in row.text)

    def search(self, words):
        field = self.one("#search")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(Keys.DELETE)
        field.send_keys(words)

    def click(self, selector):
        self.one(selector).click()

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()
