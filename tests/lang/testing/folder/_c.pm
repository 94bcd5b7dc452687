fail("it runs")
